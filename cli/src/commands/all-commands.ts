import type { CommandSpec } from '../command-line/command-spec.ts'
import { agents } from './agents.ts'
import { apply } from './apply.ts'
import { completion } from './completion.ts'
import { doctor } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { incidents } from './incidents.ts'
import { maintenance } from './maintenance.ts'
import { outage } from './outage.ts'
import { run } from './run.ts'
import { status } from './status.ts'
import { top } from './top.ts'
import { validate } from './validate.ts'

/** Every command, as help lists them. */
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
