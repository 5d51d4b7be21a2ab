import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { readWithRetry } from '../apply/read-with-retry.ts'
import type { Context } from '../terminal/context.ts'
import { withProgress } from '../terminal/progress.ts'
import { connectionFailure } from './connection-failure.ts'
import type { Failure } from './failure.ts'

export type Result<T> = { ok: true; value: T } | { ok: false; failures: Failure[] }

/** The result with another value; failures stay. */
export const mapResult = <T, U>(result: Result<T>, map: (value: T) => U): Result<U> =>
  result.ok ? { ok: true, value: map(result.value) } : result

/** `what` describes the wait, such as `Reading the checks`; quiet suppresses it. */
type RequestOptions = { what: string; apiUrl: string; quiet: boolean }

type RequestContext = Pick<Context, 'err' | 'now' | 'pause' | 'signal'>

/**
 * One call with progress and an explanation of a missing answer.
 * @throws when the user interrupts
 */
export const request = async <T>(
  context: RequestContext,
  { apiUrl, ...progress }: RequestOptions,
  call: () => Promise<ApiAnswer<T>>,
): Promise<Result<T>> => {
  try {
    const answer = await withProgress(context, progress, call())
    return answer.ok ? answer : { ok: false, failures: [answer.problem] }
  } catch (error) {
    if (context.signal.aborted) throw error
    return { ok: false, failures: [connectionFailure(error, apiUrl)] }
  }
}

/** The same for a read: waits for rate limits and retries once after a lost connection. */
export const requestWithRetry = <T>(
  context: RequestContext,
  asking: RequestOptions,
  call: () => Promise<ApiAnswer<T>>,
): Promise<Result<T>> => {
  const report = (line: string): void => context.err.write(`${line}\n`)
  return request(context, asking, () => readWithRetry({ pause: context.pause, report }, call))
}
