import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * `npm run build -w cli`: the executable as JavaScript in `cli/dist`, with everything it imports and
 * for any Node from 22.0. A chunk for each command's act, so that a command loads its own only.
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const dist = here('dist')

/**
 * The licences of the packages that modules are from, one after another: most ask that theirs goes
 * where the code goes.
 * @param modules paths of modules; ours have no `node_modules` in them
 * @throws where a package names no licence: whoever adds it decides what that means
 */
const licencesOf = async (modules: readonly string[]): Promise<string> => {
  const folders = new Set(
    modules.flatMap(
      (module) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? [],
    ),
  )
  const texts = await Promise.all([...folders].map(licenceOf))
  return texts.toSorted().join('\n\n')
}

const licenceOf = async (folder: string): Promise<string> => {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const { name, version, license, author, repository, homepage } = manifest
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence`)
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text =
    file === undefined
      ? `Comes without its text. By ${author?.name ?? author}, ${homepage ?? repository?.url ?? repository}`
      : (await readFile(join(folder, file), 'utf8')).trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}

await rm(dist, { recursive: true, force: true })
const bundle = await rolldown({
  input: { service: here('src/main.ts') },
  platform: 'node',
  // Ink loads it for its own developers
  external: ['react-devtools-core'],
  // its modules one by one, of which most commands need a few; what Node is given is one piece
  resolve: { alias: { yaml: here('../node_modules/yaml/browser/dist/index.js') } },
  transform: {
    target: 'node22',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  },
  // a schema that nobody reads is not made
  treeshake: { manualPureFunctions: ['z'], moduleSideEffects: false },
  onwarn: ({ message }) => {
    throw new Error(message)
  },
})
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // lines stay: a stack trace shows the one that threw
  minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
})
await bundle.close()
await chmod(`${dist}/service.js`, 0o755)
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
await writeFile(`${dist}/LICENCES.txt`, await licencesOf(modules))
for (const { fileName, ...file } of output) {
  const bytes = file.type === 'chunk' ? Buffer.byteLength(file.code) : file.source.length
  process.stdout.write(`${String(Math.ceil(bytes / 1024)).padStart(6)} KB  cli/dist/${fileName}\n`)
}
