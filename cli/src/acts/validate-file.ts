import { fail, writeJson } from '../api/failure.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { ChecksFile } from '../file/checks-file.ts'
import { parseChecksFile } from '../file/parse-file.ts'
import { formatProblems } from '../file/problems.ts'
import type { World } from '../terminal/world.ts'
import { readTextOf } from './files.ts'

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

/**
 * The checks of a file; where it is not valid, all its problems are told at once, each with its line.
 * @returns null where it has been told why there are none
 */
export const readChecks = async (
  world: World,
  { file, json }: { file: string; json: boolean },
): Promise<ChecksFile | null> => {
  const read = await readTextOf(world, file)
  if (!read.ok) {
    fail(world, { json }, [{ message: `${file}: ${read.message}` }])
    return null
  }
  const parsed = parseChecksFile(read.text, read.format)
  if (parsed.ok) return parsed.file
  const { problems } = parsed
  if (json) writeJson(world.out, { version: 1, problems })
  else {
    world.err.write(formatProblems(read.name, read.text, problems))
    world.err.write(
      `\n${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}; nothing was sent.\n`,
    )
  }
  return null
}
