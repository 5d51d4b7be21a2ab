import { fail, writeJson } from '../api/failure.ts'
import { openApi, type Api } from '../api/open-api.ts'
import type { Result } from '../api/request.ts'
import type { KeyOptions } from '../command-line/command-spec.ts'
import { writeLines, type Context, type ExitCode } from '../terminal/context.ts'

/** What was done: for programs, and in words. `isBad`: it was done and did not work. */
export type Done = { json: Record<string, unknown>; lines: readonly string[]; isBad?: boolean }

/** Acts through the API and reports the result. */
export const actOn = async (
  context: Context,
  options: KeyOptions,
  act: (api: Api) => Promise<Result<Done>>,
): Promise<ExitCode> => {
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const done = await act(opened.api)
  if (!done.ok) return fail(context, options, done.failures)
  const { json, lines, isBad = false } = done.value
  if (options.json) writeJson(context.out, { version: 1, ...json })
  else writeLines(context.out, lines)
  return isBad ? 1 : 0
}
