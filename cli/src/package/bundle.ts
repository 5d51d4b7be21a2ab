import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The executable for Node 22.0 or newer, with all its dependencies, in memory: `service.js`, and a chunk for each
 * action, so that a command loads only its own.
 * @returns the code of each file by name, and the modules in it
 * @throws Error for sources that cannot be bundled
 */
export const bundleCommandLine = async (): Promise<{
  files: Map<string, string>
  modules: string[]
}> => {
  const bundle = await rolldown({
    input: { service: here('../main.ts') },
    // names in comments are from here, wherever it is called from
    cwd: here('../../..'),
    platform: 'node',
    plugins: [withoutWords],
    // only used by Ink's own developers
    external: ['react-devtools-core'],
    // loads the library module by module: most commands need a few of them
    resolve: { alias: { yaml: here('../../../node_modules/yaml/browser/dist/index.js') } },
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
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    modules: chunks.flatMap((chunk) => chunk.moduleIds),
  }
}

/** The executable prints no documents: it starts 20 ms sooner without a copy of each schema that has words. */
const withoutWords = {
  name: 'without-words',
  load: (module: string) =>
    module === here('../../../contracts/src/schema/field.ts')
      ? 'export const field = (schema) => schema; export const components = { add: () => undefined }'
      : null,
}
