import { runLoop } from '@probe-mesh/runtime/loop'
import type { ApiAnswer, ApiClient } from '@probe-mesh/contracts/api/client'
import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import { listRows } from '../../api/check-rows.ts'
import { connectionFailure } from '../../api/connection-failure.ts'
import type { Failure } from '../../api/failure.ts'
import { retryAfterSecondsOf } from '../../apply/repeatable.ts'
import type { Context } from '../../terminal/context.ts'
import type { FeedEvent } from '../model/reduce.ts'
import { readingsMax, type TopState } from '../model/state.ts'
import { isOfOpened, listRequests, nextRead, type Read, type Sent } from './read-plan.ts'

/** How often the loop checks for a due read. */
const paceMs = 200
const againMs = 5_000
const retryAfterSecondsMax = 300
/** `Date` has whole seconds, and answers take time: a smaller difference is not clock skew. */
const skewMsMin = 5_000

type ReadLoopOptions = Pick<Context, 'pause' | 'now' | 'signal'> & {
  apiUrl: string
  client: ApiClient
  state: () => TopState
  dispatch: (event: FeedEvent) => void
}

/**
 * Reads what the view needs besides the stream, one call at a time within its share of the read
 * limit, until the signal. Reports failures and retries.
 * @returns null at the signal, or why this key may not read
 */
export const runReadLoop = async (options: ReadLoopOptions): Promise<Failure | null> => {
  const { state, dispatch, now, pause, signal } = options
  let sent: Sent = { list: [], opened: [] }
  let holdMs = 0
  let reported = { waiting: 0, problem: null as string | null }
  const report = (reads: typeof reported): void => {
    if (reads.waiting === reported.waiting && reads.problem === reported.problem) return
    reported = reads
    dispatch({ kind: 'reads', ...reads })
  }
  let final: Failure | null = null
  await runLoop({
    signal,
    everyMs: paceMs,
    round: async () => {
      const nowMs = now()
      const { read, waiting } = nextRead(state(), { sent, nowMs })
      if (read === null || nowMs < holdMs) {
        report({ waiting, problem: reported.problem })
        return
      }
      const failed = await carryOut(options, read)
      sent = withSent(sent, read, read.kind === 'list' ? listRequests(state()) : 1, nowMs)
      if (signal.aborted) return 'end'
      if (failed === null) report({ waiting: 0, problem: null })
      else if (failed.isFinal) {
        final = failed.failure
        return 'end'
      } else {
        holdMs = now() + failed.waitMs
        report({ waiting, problem: failed.failure.message })
      }
      return 'again'
    },
    onError: (error) => {
      throw error
    },
    pause: (ms) => pause(ms).catch(() => undefined),
  })
  return final
}

/** @param requests how many the read took */
const withSent = (sent: Sent, read: Read, requests: number, nowMs: number): Sent => {
  const pool = isOfOpened(read) ? 'opened' : 'list'
  const recent = sent[pool].filter((sentMs) => nowMs - sentMs < 60_000)
  return { ...sent, [pool]: [...recent, ...Array.from({ length: requests }, () => nowMs)] }
}

type Failed = { failure: Failure; isFinal: boolean; waitMs: number }

const carryOut = async (options: ReadLoopOptions, read: Read): Promise<Failed | null> => {
  try {
    return await answer(options, read)
  } catch (error) {
    if (options.signal.aborted) return null
    return { failure: connectionFailure(error, options.apiUrl), isFinal: false, waitMs: againMs }
  }
}

const answer = async (
  { client, dispatch, now, signal }: ReadLoopOptions,
  read: Read,
): Promise<Failed | null> => {
  const requestedMs = now()
  switch (read.kind) {
    case 'list': {
      const listed = await listRows(client, signal)
      if (!listed.ok) return failedBy(listed)
      const { headers, ...rows } = listed.value
      dispatch({ kind: 'listed', ...rows, requestedMs, skewMs: skewOf(headers, now()) })
      return null
    }
    case 'account': {
      const me = await client.call('getMe', {}, signal)
      if (!me.ok) return failedBy(me)
      dispatch({ kind: 'account', me: me.value })
      return null
    }
    case 'detail': {
      const { checkId } = read
      const detail = await client.call('getCheck', { params: { id: checkId } }, signal)
      if (detail.ok) dispatch({ kind: 'detailed', detail: detail.value, requestedMs })
      else if (detail.problem.status === 404) dispatch({ kind: 'gone', checkId })
      else return failedBy(detail)
      return null
    }
    case 'readings': {
      const { checkId } = read
      const input = { params: { id: checkId }, query: { limit: readingsMax } }
      const listed = await client.call('listReadings', input, signal)
      if (listed.ok) dispatch({ kind: 'read', checkId, readings: listed.value.readings, requestedMs })
      else if (listed.problem.status === 404) dispatch({ kind: 'gone', checkId })
      else return failedBy(listed)
      return null
    }
    default:
      return read satisfies never
  }
}

/** A refused key stays refused; everything else is retried. */
const failedBy = ({ problem, headers }: Extract<ApiAnswer<unknown>, { ok: false }>): Failed => {
  const seconds = Math.min(retryAfterSecondsOf(headers) ?? 0, retryAfterSecondsMax)
  return {
    failure: problem,
    isFinal: problem.status === 401 || problem.status === 403,
    waitMs: Math.max(againMs, seconds * 1000),
  }
}

/** How far the API's clock is ahead of ours. */
const skewOf = (headers: AnswerHeaders, nowMs: number): number => {
  const dateMs = Date.parse(headers.get('date') ?? '')
  const skewMs = Number.isNaN(dateMs) ? 0 : dateMs - nowMs
  return Math.abs(skewMs) < skewMsMin ? 0 : skewMs
}
