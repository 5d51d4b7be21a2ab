import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { problemLines } from '../plan/show-problem.ts'
import type { ExitCode } from '../apply/exit-code.ts'
import { showLine } from '../plan/show-value.ts'
import type { World } from '../terminal/world.ts'

/** Why a command did not do what it was asked: a refusal as the API returned it, or a sentence. */
export type Failure = Problem | { message: string; hint?: string }

/** Raised when a field changes its meaning or goes; a new field leaves it as it is. */
export const failureJsonVersion = 1

/**
 * Says why a command failed: text on standard error, JSON where it was asked for in the place of the
 * answer. "Prints the API's message and code as returned" (specification, Errors).
 * @returns the exit code of it
 */
export const fail = (
  { out, err }: Pick<World, 'out' | 'err'>,
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
 * Every command's `--json`: one document, its last line ended. What a terminal would act on is
 * escaped as JSON has it, so that the value stays the same.
 */
export const writeJson = (out: World['out'], value: unknown): void =>
  out.write(
    JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => `${showLine(line)}\n`)
      .join(''),
  )

/** One of many documents, each on a line of its own. */
export const writeJsonLine = (out: World['out'], value: unknown): void =>
  out.write(`${showLine(JSON.stringify(value))}\n`)

const linesOf = (failure: Failure): string[] =>
  'code' in failure
    ? problemLines(failure)
    : [showLine(failure.message), ...(failure.hint === undefined ? [] : [showLine(failure.hint)])]
