import { chmod, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { licencesOf } from './licences.ts'

/**
 * `npm run build -w cli`: the executable as JavaScript in `cli/dist`, with everything it imports and
 * for any Node from 22.0. A chunk for each command's act, so that a command loads its own only.
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const dist = here('dist')

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
