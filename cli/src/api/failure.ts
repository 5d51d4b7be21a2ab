import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { problemLines, showLine } from '../plan/show-value.ts'
import { called } from '../terminal/program.ts'
import type { Context, ExitCode } from '../terminal/context.ts'

/** Why a command failed: a refusal as the API returned it, or a sentence. */
export type Failure = Problem | { message: string; hint?: string }

/** Raised when a field changes its meaning or is removed; a new field does not raise it. */
export const failureJsonVersion = 1

/**
 * Reports why a command failed: text on standard error, or JSON in place of the answer. An API
 * refusal keeps its message and code as returned.
 * @returns the exit code
 */
export const fail = (
  { out, err }: Pick<Context, 'out' | 'err'>,
  { json }: { json: boolean },
  failures: readonly Failure[],
): ExitCode => {
  if (json) writeJson(out, { version: failureJsonVersion, problems: failures })
  else
    err.write(
      failures
        .flatMap(linesOf)
        .map((line) => `${line}\n`)
        .join(''),
    )
  return 1
}

/**
 * The `--json` output of a command: one document, ending with a newline. Terminal control
 * characters are escaped as JSON, so that the value is unchanged.
 */
export const writeJson = (out: Context['out'], value: unknown): void =>
  out.write(
    JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => `${showLine(line)}\n`)
      .join(''),
  )

/** One of many documents, each on its own line. */
export const writeJsonLine = (out: Context['out'], value: unknown): void =>
  out.write(`${showLine(JSON.stringify(value))}\n`)

const linesOf = (failure: Failure): string[] =>
  'code' in failure
    ? problemLines(failure)
    : [failure.message, ...(failure.hint === undefined ? [] : [failure.hint])].map((line) =>
        called(showLine(line)),
      )
