import { bundleParts, type BundleParts } from '../../start/bundle/parts.ts'
import { programs } from '../../start/launch/programs.mjs'

/** Programs that are one file. A control plane has native code and files beside it. */
export const singlePrograms = ['agent', 'mcp-gateway'] as const

/** What a program of one file has in place of a source of ours. */
const instead: Readonly<Record<string, string>> = {
  'check-types/browser/probe/find-chromium.ts': 'check-types/browser/probe/without-chromium.ts',
}

/**
 * The modules of a program for one file.
 * @throws Error for a program that reads files beside its sources, which a single file does not have
 */
export const singleProgram = async (
  root: string,
  name: (typeof singlePrograms)[number],
): Promise<BundleParts & { start: string; flags: readonly string[] }> => {
  const program = programs.find((one) => one.name === name)
  if (program === undefined) throw new Error(`there is no program ${name}`)
  const parts = await bundleParts({ root, program, places, instead, sourceMaps: 'none' })
  return { ...parts, start: `${name}.mjs`, flags: program.flags }
}

const places = {
  source: (path: string): string => {
    throw new Error(`${path} reads files beside itself, which a single file does not have`)
  },
  // a thread takes no address but a file's or a text's
  start: (fileName: string): string =>
    `new URL('data:text/javascript;base64,' + Buffer.from(process.getBuiltinModule('node:sea').getAsset('${fileName}')).toString('base64'))`,
}
