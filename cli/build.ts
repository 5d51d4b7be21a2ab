import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * `npm run build -w cli`: bundles the executable to `cli/dist` for Node 22.0 or newer, with all its
 * dependencies. Each action is a chunk, so that a command loads only its own.
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const dist = here('dist')

/**
 * The licences of the bundled packages: most require their text to go where the code goes.
 * @param modules paths of bundled modules; ours contain no `node_modules`
 * @throws for a package without a licence, since a person must decide what that means
 */
const licencesOf = async (modules: readonly string[]): Promise<string> => {
  const folders = new Set(
    modules.flatMap((module) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? []),
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
/** The executable prints no documents: it starts 20 ms sooner without a copy of each schema that has words. */
const withoutWords = {
  name: 'without-words',
  load: (module: string) =>
    module === here('../contracts/src/schema/field.ts')
      ? 'export const field = (schema) => schema; export const components = { add: () => undefined }'
      : null,
}

const bundle = await rolldown({
  input: { service: here('src/main.ts') },
  platform: 'node',
  plugins: [withoutWords],
  // only used by Ink's own developers
  external: ['react-devtools-core'],
  // loads the library module by module: most commands need a few of them
  resolve: { alias: { yaml: here('../node_modules/yaml/browser/dist/index.js') } },
  transform: {
    target: 'node22',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  },
  // drops schemas that nothing uses
  treeshake: { manualPureFunctions: ['z', 'components'], moduleSideEffects: false },
  onwarn: ({ message }) => {
    throw new Error(message)
  },
})
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // keeps lines, so that a stack trace shows the line that threw
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
