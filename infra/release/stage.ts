import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bundleParts } from '../start/bundle/parts.ts'
import { placesIn } from '../start/bundle/build.ts'
import { shippedProgram, type Shipped } from './shipped.ts'

/** The folder of the bundles in an installed copy. */
const programFolder = 'program'

/**
 * Writes an installed copy of programs, without its packages: each program's bundle in `program/<name>`, and the files
 * that they read at the paths that those have in the sources.
 * @param folder which is empty
 * @returns what each program needs, and the bundled modules of all, from the root
 */
export const stagePrograms = async (
  root: string,
  names: readonly Parameters<typeof shippedProgram>[1][],
  folder: string,
): Promise<{ shipped: Shipped[]; modules: string[] }> => {
  const shipped: Shipped[] = []
  const modules = new Set<string>()
  for (const name of names) {
    const program = await shippedProgram(root, name)
    const places = placesIn(root, join(root, programFolder, name))
    const { files, loaded, later } = await bundleParts({ root, program, places })
    for (const [file, content] of files) await write(join(folder, programFolder, name, file), content)
    for (const file of program.files) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await cp(join(root, file), join(folder, file))
    }
    for (const module of [...loaded, ...later]) modules.add(module)
    shipped.push(program)
  }
  return { shipped, modules: [...modules].toSorted() }
}

const write = async (path: string, content: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}
