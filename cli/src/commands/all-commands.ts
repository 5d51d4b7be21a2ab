import type { CommandSpec } from '../command-line/command-spec.ts'
import { alerts, channel, incident, maintenance, pause, resume } from './act-commands.ts'
import { apply, exportCommand, importCommand, validate } from './file-commands.ts'
import { agents, completion, doctor } from './setup-commands.ts'
import { incidents, outage, run, status, top } from './status-commands.ts'

/** Every command, in the order of help. */
export const allCommands: readonly CommandSpec[] = [
  exportCommand,
  validate,
  apply,
  importCommand,
  status,
  top,
  outage,
  alerts,
  incidents,
  incident,
  maintenance,
  run,
  pause,
  resume,
  channel,
  agents,
  doctor,
  completion(() => allCommands),
]
