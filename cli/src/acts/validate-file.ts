import { writeJson } from '../api/failure.ts'
import type { Act } from '../command-line/command-spec.ts'
import { readChecks } from './read-checks.ts'

/** "Parse and validate only. No API call" (specification, Command-line tool). */
export const validateFile: Act<{ file: string; json: boolean }> = async (world, options) => {
  const file = await readChecks(world, options)
  if (file === null) return 1
  const { length } = file.checks
  if (options.json) writeJson(world.out, { version: 1, problems: [], checks: length })
  else
    world.out.write(`${options.file} is valid: ${length} ${length === 1 ? 'check' : 'checks'}.\n`)
  return 0
}
