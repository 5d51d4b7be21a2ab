import type { ApiAnswer, ApiClient } from '@probe-mesh/contracts/api/client'
import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import { retryAfterSecondsOf } from '../../apply/retry-after.ts'
import type { Failure } from '../../api/failure.ts'
import { whyUnanswered } from '../../api/why-unanswered.ts'
import type { World } from '../../terminal/world.ts'
import type { FeedEvent } from '../model/reduce.ts'
import { readingsMax } from '../model/state.ts'
import type { TopState } from '../model/state.ts'
import { nextRead } from './read-plan.ts'
import type { Read } from './read-plan.ts'

/** How often is looked whether something is to be read. */
const paceMs = 200
const againMs = 5_000
const retryAfterSecondsMax = 300
/** `Date` has whole seconds, and an answer takes its time: less is no difference of clocks. */
const skewMsMin = 5_000

export type KeepReading = Pick<World, 'pause' | 'now' | 'signal'> & {
  apiUrl: string
  client: ApiClient
  state: () => TopState
  /** Ids of the rows that can be seen. */
  visible: () => readonly string[]
  tell: (event: FeedEvent) => void
}

/**
 * Reads what the view needs beside the stream, one call at a time and within its share of the read
 * budget, until the signal. What fails is said and asked for again.
 * @returns null at the signal, or why this key may not read
 */
export const keepReading = async (means: KeepReading): Promise<Failure | null> => {
  const { state, visible, tell, now, pause, signal } = means
  let sent: number[] = []
  let holdMs = 0
  let told = { waiting: 0, problem: null as string | null }
  const say = (reads: typeof told): void => {
    if (reads.waiting === told.waiting && reads.problem === told.problem) return
    told = reads
    tell({ kind: 'reads', ...reads })
  }
  while (!signal.aborted) {
    const nowMs = now()
    sent = sent.filter((sentMs) => nowMs - sentMs < 60_000)
    const { read, waiting } = nextRead(state(), { visible: visible(), sent, nowMs })
    if (read === null || nowMs < holdMs) {
      say({ waiting, problem: told.problem })
      await pause(paceMs).catch(() => undefined)
      continue
    }
    sent.push(nowMs)
    const failed = await carryOut(means, read)
    if (signal.aborted) break
    if (failed === null) say({ waiting: 0, problem: null })
    else if (failed.isFinal) return failed.failure
    else {
      holdMs = now() + failed.waitMs
      say({ waiting, problem: failed.failure.message })
    }
  }
  return null
}

type Failed = { failure: Failure; isFinal: boolean; waitMs: number }

const carryOut = async (means: KeepReading, read: Read): Promise<Failed | null> => {
  try {
    return await answer(means, read)
  } catch (error) {
    if (means.signal.aborted) return null
    return { failure: whyUnanswered(error, means.apiUrl), isFinal: false, waitMs: againMs }
  }
}

const answer = async (
  { client, tell, now, signal }: KeepReading,
  read: Read,
): Promise<Failed | null> => {
  const askedMs = now()
  switch (read.kind) {
    case 'list': {
      const listed = await client.call('listChecks', {}, signal)
      if (!listed.ok) return failedBy(listed)
      const { checks } = listed.value
      tell({ kind: 'listed', checks, askedMs, skewMs: skewOf(listed.headers, now()) })
      return null
    }
    case 'account': {
      const me = await client.call('getMe', {}, signal)
      if (!me.ok) return failedBy(me)
      tell({ kind: 'account', me: me.value })
      return null
    }
    case 'detail': {
      const { checkId } = read
      const detail = await client.call('getCheck', { params: { id: checkId } }, signal)
      if (detail.ok) tell({ kind: 'detailed', detail: detail.value, askedMs })
      else if (detail.problem.status === 404) tell({ kind: 'gone', checkId })
      else return failedBy(detail)
      return null
    }
    case 'readings': {
      const { checkId } = read
      const input = { params: { id: checkId }, query: { limit: readingsMax } }
      const listed = await client.call('listReadings', input, signal)
      if (listed.ok) tell({ kind: 'read', checkId, readings: listed.value.readings, askedMs })
      else if (listed.problem.status === 404) tell({ kind: 'gone', checkId })
      else return failedBy(listed)
      return null
    }
    default:
      return read satisfies never
  }
}

/** A key that is refused stays refused; all else is worth another try. */
const failedBy = ({ problem, headers }: Extract<ApiAnswer<unknown>, { ok: false }>): Failed => {
  const seconds = Math.min(retryAfterSecondsOf(headers) ?? 0, retryAfterSecondsMax)
  return {
    failure: problem,
    isFinal: problem.status === 401 || problem.status === 403,
    waitMs: Math.max(againMs, seconds * 1000),
  }
}

/** How far the API's clock is ahead of the one here. */
const skewOf = (headers: AnswerHeaders, nowMs: number): number => {
  const dateMs = Date.parse(headers.get('date') ?? '')
  const skewMs = Number.isNaN(dateMs) ? 0 : dateMs - nowMs
  return Math.abs(skewMs) < skewMsMin ? 0 : skewMs
}
