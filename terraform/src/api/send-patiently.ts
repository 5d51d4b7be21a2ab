import type { ApiAnswer } from '@probe-mesh/contracts/api/route-client'
import type { CallContext } from '../protocol/resource.ts'
import { isPassing, whyUnanswered } from './exchange.ts'
import { toAnswer, unanswered, type Answer } from './failure.ts'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'

/** A longer wait is reported to the user instead. */
const retryAfterMsMax = 120_000
/** Long enough for a restart of the API, or for the first request with an `Idempotency-Key` to finish. */
const troubleMsMax = 30_000
/** Grows, because each retry of ten parallel calls uses the key's write quota. */
const backoffMs = { first: 250, most: 8_000 }

export type Patience = {
  now(): number
  /** @throws when the signal aborts */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to 1, for the jitter. */
  random(): number
}

type Attempt<T> = { answer: ApiAnswer<T> } | { error: unknown }

/**
 * One call that may be sent again, since a POST has its `Idempotency-Key`. `Retry-After` is waited for
 * once; the next refusal is an error (S-2708).
 * Where a connection is lost, or the API fails, the same is sent again for half a minute.
 * @param what such as `POST /checks`, for the log
 * @throws a bug
 */
export const sendPatiently = async <T>(
  patience: Patience,
  { signal, log }: CallContext,
  what: string,
  send: () => Promise<ApiAnswer<T>>,
): Promise<Answer<T>> => {
  let hasWaited = false
  let troubleSinceMs: number | null = null
  let backoff = backoffMs.first
  for (;;) {
    const attempt: Attempt<T> = await send().then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    if (signal.aborted) return 'answer' in attempt ? toAnswer(attempt.answer) : stopped
    const asked = 'answer' in attempt ? askedMs(attempt.answer, patience.now()) : null
    let waitMs: number
    if (isOverBudget(attempt)) {
      if (hasWaited || asked === null || asked > retryAfterMsMax) return settle(attempt)
      hasWaited = true
      troubleSinceMs = null
      waitMs = asked
    } else {
      if (!isTrouble(attempt, asked)) return settle(attempt)
      troubleSinceMs ??= patience.now()
      const grownMs = backoff * (0.5 + patience.random() / 2)
      waitMs = Math.min(backoffMs.most, Math.max(asked ?? 0, grownMs))
      backoff = Math.min(backoffMs.most, backoff * 2)
      if (patience.now() + waitMs - troubleSinceMs > troubleMsMax) return settle(attempt)
    }
    log('warn', `${what}: ${reasonOf(attempt)}; retrying in ${Math.ceil(waitMs)} ms`)
    try {
      await patience.pause(waitMs, signal)
    } catch (error) {
      if (signal.aborted) return stopped
      throw error
    }
  }
}

/** The result of a call that was stopped before its answer. */
export const stopped = unanswered('Terraform was stopped before the API answered.')

const isOverBudget = (attempt: Attempt<unknown>): boolean =>
  'answer' in attempt && !attempt.answer.ok && attempt.answer.problem.status === 429

/** Whether a retry may help: no answer, an error of the API, or a first request with this key in progress. */
const isTrouble = (attempt: Attempt<unknown>, askedWaitMs: number | null): boolean => {
  if ('error' in attempt) return isPassing(attempt.error)
  if (attempt.answer.ok) return false
  const { status, code } = attempt.answer.problem
  return status >= 500 || (code === 'SV-3002' && askedWaitMs !== null)
}

const askedMs = (answer: ApiAnswer<unknown>, nowMs: number): number | null =>
  answer.ok ? null : retryAfterMs(answer.headers.get('retry-after'), nowMs)

const reasonOf = (attempt: Attempt<unknown>): string =>
  'error' in attempt
    ? whyUnanswered(attempt.error)
    : attempt.answer.ok
      ? 'answered'
      : attempt.answer.problem.code

const settle = <T>(attempt: Attempt<T>): Answer<T> =>
  'answer' in attempt
    ? toAnswer(attempt.answer)
    : unanswered(`The API did not answer: ${whyUnanswered(attempt.error)}.`)
