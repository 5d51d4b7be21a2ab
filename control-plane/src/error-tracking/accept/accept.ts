import { randomUUID } from 'node:crypto'
import type { Errors } from '@probe-mesh/bus/port'
import type { ErrorDrops } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import type { Logger } from 'pino'
import type { TallyMessage } from '../events/errors-message.ts'
import { quotaLimit, busy, limitedFor, limitOf, takeShare } from './limits.ts'
import type { RateLimit, DoorLimits, Limited, Source } from './limits.ts'
import type { DoorKey } from '../projects/error-door-store.ts'
import type { AcceptMetrics } from './metrics.ts'
import type { OpenedEvent, OpenQuestion, PackedBody } from './open/open-body.ts'
import type { Opener } from './open/opener.ts'
import type { Tally } from './tally.ts'

export type AcceptContext = {
  errors: Pick<Errors, 'publish'>
  opener: Pick<Opener, 'open'>
  tally: Tally
  limits: DoorLimits
  /** Requests whose events are on their way to the stream. */
  publishing: Pick<FairPool, 'take'>
  isSpent(accountId: string): boolean
  metrics: AcceptMetrics
  log: Logger
  now: () => number
}

/** What is answered; every drop in it is on the stream, except where it is 503. */
export type Accepted = {
  status: 200 | 400 | 413 | 429 | 503
  /** 32 hexadecimal digits, of the event that the request brought. */
  eventId: string | null
  limits: RateLimit[]
  /** What is wrong, in words; null where nothing is. */
  problem: string | null
}

type DropReason = keyof ErrorDrops

/** What became of one event. */
type Taken =
  | { eventId: string; drop: null }
  | { eventId: string | null; drop: DropReason; problem: string; limited?: Limited }

/** Why events are refused before anybody looks into them. */
type Refusal = { drop: 'quota' } | { drop: 'rate'; limited: Limited }
const problems = {
  quota: "the month's events are spent",
  rate: 'too many events at once',
} as const
const publishWaitMsMax = 10_000

/**
 * Takes the body of a request: each of its events is on the stream, or counted there as dropped, before
 * this resolves with 200. Waits for the stream only, never for a store.
 * @param kind `store`: one event without an envelope
 */
export const acceptBody = async (
  context: AcceptContext,
  key: DoorKey,
  kind: OpenQuestion['kind'],
  packed: PackedBody,
  network: string,
): Promise<Accepted> => {
  const { limits } = context
  const { projectId, accountId, scrub, filters } = key
  const source = { key, network }
  const refusal = refusalOf(context, source)
  const waitMs = limits.costs.waitMs(projectId, network)
  // to open it, if only to count what is in it, would cost more than its project may
  const unopened = (limited: Limited): Promise<Accepted> =>
    conclude(context, key, [refused(context, null, refusal ?? { drop: 'rate', limited })], nothing)
  if (waitMs > 0) return unopened(limitedFor('cost', waitMs))
  const bytes = packed.body.length
  const answer = await context.opener.open(accountId, {
    ...packed,
    kind,
    project: { projectId, scrub, filters },
    countsOnly: refusal !== null,
    receivedAt: context.now(),
  })
  limits.costs.spend(projectId, network, { bytes, threadMs: answer === 'busy' ? 0 : answer.ms })
  if (answer === 'busy') return unopened(busy)
  const { opened } = answer
  if ('refused' in opened) return refuseBody(context, key, opened.refused, opened.problem)
  const taken = await takeEvents(context, source, opened.events, refusal)
  return conclude(context, key, taken, opened)
}

const nothing = { reports: [], unsupported: {}, eventId: null }

const refusalOf = (context: AcceptContext, source: Source): Refusal | null => {
  if (context.isSpent(source.key.accountId)) return { drop: 'quota' }
  const limited = limitOf(context.limits, source)
  return limited === null ? null : { drop: 'rate', limited }
}

const refused = (context: AcceptContext, eventId: string | null, refusal: Refusal): Taken => {
  const { drop } = refusal
  if (drop === 'rate') context.metrics.limited.inc({ limit: refusal.limited.limit })
  return { eventId, problem: problems[drop], ...refusal }
}

/** Counts a body that was not taken from the wire, or could not be unpacked, as one event. */
export const refuseBody = (
  context: AcceptContext,
  key: DoorKey,
  reason: 'size' | 'invalid',
  problem: string,
): Promise<Accepted> => conclude(context, key, [{ eventId: null, drop: reason, problem }], nothing)

/** Of one account no more requests publish at a time than leave the others theirs. */
const takeEvents = async (
  context: AcceptContext,
  source: Source,
  events: readonly OpenedEvent[],
  refusal: Refusal | null,
): Promise<Taken[]> => {
  const isAny = refusal === null && events.some((event) => 'data' in event)
  const place = isAny
    ? await context.publishing.take(source.key.accountId, {
        cost: events.length,
        waitMsMax: publishWaitMsMax,
      })
    : null
  const isBusy = typeof place === 'string'
  const denied: Refusal | null = isBusy ? { drop: 'rate', limited: busy } : refusal
  try {
    return await Promise.all(events.map((event) => takeEvent(context, source, event, denied)))
  } finally {
    if (place !== null && !isBusy) place.release()
  }
}

const takeEvent = async (
  context: AcceptContext,
  source: Source,
  event: OpenedEvent,
  refusal: Refusal | null,
): Promise<Taken> => {
  const { projectId, accountId } = source.key
  if (!('data' in event) && event.drop === null) {
    return refused(context, event.eventId, refusal ?? { drop: 'rate', limited: busy })
  }
  if (refusal !== null) return refused(context, event.eventId, refusal)
  // those beside it may have come since it was asked whether there is room
  const limited =
    context.limits.rate.take(projectId) === 0
      ? 'data' in event
        ? takeShare(context.limits, source)
        : null
      : limitedFor('second', 0)
  if (limited !== null) return refused(context, event.eventId, { drop: 'rate', limited })
  if (!('data' in event)) {
    const { eventId, drop, problem, by = '' } = event
    if (drop === 'filtered') context.metrics.filtered.inc({ filter: by })
    if (drop === 'scrub') {
      context.log.error({ projectId, eventId, kind: by }, 'an error event could not be scrubbed')
    }
    return { eventId, drop, problem }
  }
  const { eventId, data } = event
  const messageId = randomUUID()
  const partition = errorPartitionOf(projectId)
  try {
    const { sequence } = await context.errors.publish({ partition, messageId, data })
    context.limits.backlog.add(accountId, { partition, sequence, bytes: data.length })
  } catch (error) {
    context.log.warn({ err: error, projectId }, 'an error event could not be published')
    context.metrics.streamRefused.inc({ why: isFull(error) ? 'full' : 'away' })
    context.tally.lose({ projectId, messageId, eventId })
    return { eventId, drop: 'store', problem: 'temporarily unavailable; retry later' }
  }
  return { eventId, drop: null }
}

const conclude = async (
  context: AcceptContext,
  key: DoorKey,
  taken: readonly Taken[],
  rest: Pick<TallyMessage, 'reports' | 'unsupported'> & { eventId: string | null },
): Promise<Accepted> => {
  const drops: Partial<ErrorDrops> = {}
  for (const { drop } of taken) {
    context.metrics.events.inc({ answer: drop ?? 'taken' })
    // a lost one is counted by itself
    if (drop !== null && drop !== 'store') drops[drop] = (drops[drop] ?? 0) + 1
  }
  const { reports, unsupported } = rest
  const isEmpty = Object.keys(drops).length + reports.length + Object.keys(unsupported).length === 0
  const kept = isEmpty || (await context.tally.add(key.projectId, { drops, reports, unsupported }))
  const found = (reasons: readonly DropReason[]) =>
    taken.find(({ drop }) => drop !== null && reasons.includes(drop))
  const seconds = Math.max(0, ...taken.map((one) => ('limited' in one ? (one.limited?.seconds ?? 0) : 0)))
  const limits: RateLimit[] = [
    ...(context.isSpent(key.accountId) ? [quotaLimit(context.now())] : []),
    ...(seconds === 0 ? [] : [{ seconds, scope: 'project', reason: 'rate_limited' } as const]),
  ]
  const answer = (status: Accepted['status'], about: Taken | undefined): Accepted => ({
    status,
    eventId: taken.find(({ eventId }) => eventId !== null)?.eventId ?? rest.eventId,
    limits,
    problem: about !== undefined && about.drop !== null ? about.problem : null,
  })
  const lost = found(['store'])
  if (lost !== undefined) return answer(503, lost)
  // counts that only this process knows would die with it: then nothing may be said of what was sent
  if (!kept) return { ...answer(503, undefined), problem: 'temporarily unavailable; retry later' }
  const limited = found(['quota', 'rate'])
  if (limited !== undefined) return answer(429, limited)
  const large = found(['size'])
  if (large !== undefined) return answer(413, large)
  // one that is sound beside it was taken: the client may believe the whole
  const isAnyTaken = taken.some(({ drop }) => drop === null)
  const wrong = isAnyTaken ? undefined : found(['invalid', 'scrub'])
  if (wrong?.drop === 'invalid') return answer(400, wrong)
  return answer(200, wrong)
}

/** As the buses say it: the log in the process, JetStream's `max_bytes`, a disk. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && /is full|maximum bytes|does not take/i.test(error.message)
