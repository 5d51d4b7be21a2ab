import { fail, writeJson } from '../api/failure.ts'
import type { Action } from '../command-line/command-spec.ts'
import type { ChecksFile } from '../file/checks-file.ts'
import { parseChecksFile, type PlaceOf } from '../file/parse-file.ts'
import { formatProblems } from '../file/problems.ts'
import { count } from '../plan/show-value.ts'
import type { Context } from '../terminal/context.ts'
import { readTextOf } from './files.ts'

/** Parses and validates a file without calling the API. */
export const validateFile: Action<{ file: string; json: boolean }> = async (context, options) => {
  const read = await readChecks(context, options)
  if (read === null) return 1
  const { length } = read.file.checks
  if (options.json) writeJson(context.out, { version: 1, problems: [], checks: length })
  else context.out.write(`${options.file} is valid: ${count(length, 'check')}.\n`)
  return 0
}

/** The checks of a file, with its name and text to show problems in. */
export type ReadChecks = { file: ChecksFile; placeOf: PlaceOf; name: string; text: string }

/**
 * Reads the checks of a file, or reports all its problems at once with their lines.
 * @returns null if problems were reported
 */
export const readChecks = async (
  context: Context,
  { file, json }: { file: string; json: boolean },
): Promise<ReadChecks | null> => {
  const read = await readTextOf(context, file)
  if (!read.ok) {
    fail(context, { json }, [{ message: `${file}: ${read.message}` }])
    return null
  }
  const parsed = parseChecksFile(read.text, read.format)
  const { name, text } = read
  if (parsed.ok) return { file: parsed.file, placeOf: parsed.placeOf, name, text }
  const { problems } = parsed
  if (json) writeJson(context.out, { version: 1, problems })
  else {
    context.err.write(formatProblems(name, text, problems))
    context.err.write(`\n${nothingSent(problems.length)}\n`)
  }
  return null
}

export const nothingSent = (problems: number): string => `${count(problems, 'problem')}; nothing was sent.`
