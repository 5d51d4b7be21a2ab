import type { CommandSpec } from '../command-line/command-spec.ts'
import { apply, exportCommand, importCommand, validate } from './file-commands.ts'
import { agents, completion, doctor } from './setup-commands.ts'
import { incidents, maintenance, outage, run, status, top } from './status-commands.ts'

/** Every command, in the order of help. */
export const allCommands: readonly CommandSpec[] = [
  exportCommand,
  validate,
  apply,
  importCommand,
  status,
  top,
  outage,
  incidents,
  maintenance,
  run,
  agents,
  doctor,
  completion(() => allCommands),
]
