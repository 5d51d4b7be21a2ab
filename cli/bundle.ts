import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The executable for Node 22.0 or newer, with all its dependencies, in memory: `service.js`, and a chunk for each
 * action, so that a command loads only its own.
 * @returns the code of each file by name, and the licences of the packages in it
 * @throws Error for sources that cannot be bundled, or a package without a licence
 */
export const bundleCommandLine = async (): Promise<{
  files: Map<string, string>
  modules: string[]
  licences: string
}> => {
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
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // keeps lines, so that a stack trace shows the line that threw
    minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
  })
  await bundle.close()
  const chunks = output.filter((file) => file.type === 'chunk')
  const modules = chunks.flatMap((chunk) => chunk.moduleIds)
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    modules,
    licences: await licencesOf(modules),
  }
}

/** The executable prints no documents: it starts 20 ms sooner without a copy of each schema that has words. */
const withoutWords = {
  name: 'without-words',
  load: (module: string) =>
    module === here('../contracts/src/schema/field.ts')
      ? 'export const field = (schema) => schema; export const components = { add: () => undefined }'
      : null,
}

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
