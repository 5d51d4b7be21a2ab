import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment, nodeFlags, programs } from '../../start/launch/programs.mjs'

const ours = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The command that starts a program as a unit of systemd does: with its limits of memory, from its bundle if there is one
 * of the present sources (`npm run bundle`), else from the sources.
 * @param tree the folder of the project; one of an earlier version has sources only
 */
export const programCommand = (name: string, tree = ours): string[] => {
  const run = join(tree, 'infra/start/launch/run.mjs')
  if (!existsSync(run)) return [process.execPath, join(tree, 'infra/start/processes', `${name}.ts`)]
  return [process.execPath, ...programFlags(name), run, name]
}

/** The flags of Node for a program of this version. */
export const programFlags = (name: string): string[] => {
  const flags = programs.find((program) => program.name === name)?.flags ?? []
  return nodeFlags({ flags }, process.env['NODE_OPTIONS'] ?? '')
}

/** The environment that the launcher and the units give to every program. */
export const programEnvironment = nodeEnvironment
