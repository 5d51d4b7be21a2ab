import type { CommandSpec } from '../command-line/command-spec.ts'
import { apply } from './apply.ts'
import { completion } from './completion.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { validate } from './validate.ts'

/** Every command, as help lists them. */
export const allCommands: readonly CommandSpec[] = [
  exportCommand,
  validate,
  apply,
  importCommand,
  completion(() => allCommands),
]
