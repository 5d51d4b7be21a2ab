import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * The code of an entry and of the parts that it loads on demand, in memory. Terraform starts a provider several times
 * for one plan, so start-up time is what counts: the rules of each resource are files that load with its first validation.
 * @param format `cjs` for files beside a script, because require starts faster; `esm` for a single executable
 * @returns the parts, the entry's first
 */
export const bundleProvider = async (entry: 'src/start.ts' | 'src/main.ts', format: 'cjs' | 'esm') => {
  const bundle = await rolldown({
    input: here(entry),
    // names in comments are from here, wherever it is called from
    cwd: here('..'),
    platform: 'node',
    transform: { target: 'node22' },
    // unused schemas are dropped from the bundle
    treeshake: { manualPureFunctions: ['z'], moduleSideEffects: false },
    onwarn: ({ message }) => {
      throw new Error(message)
    },
  })
  const { output } = await bundle.generate({
    format,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    dynamicImportInCjs: false,
    minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
  })
  await bundle.close()
  return output.filter((part) => part.type === 'chunk')
}
