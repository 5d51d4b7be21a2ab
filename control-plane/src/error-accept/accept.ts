import { randomUUID } from 'node:crypto'
import type { Errors } from '@probe-mesh/bus/port'
import type { ErrorDrops } from '@probe-mesh/contracts/error-tracking'
import { errorPartitionOf } from '@probe-mesh/contracts/partition'
import type { Logger } from 'pino'
import type { TallyMessage } from '../error-tracking/errors-message.ts'
import { quotaLimit } from '../error-tracking/rate-limits.ts'
import type { RateLimit } from '../error-tracking/rate-limits.ts'
import type { DoorKey } from '../postgres/error-door.ts'
import type { EventRate } from './event-rate.ts'
import type { AcceptMetrics } from './metrics.ts'
import type { OpenedEvent, OpenQuestion, PackedBody } from './open/open-body.ts'
import type { Opener } from './open/opener.ts'
import type { Tally } from './tally.ts'

export type AcceptContext = {
  errors: Pick<Errors, 'publish'>
  opener: Pick<Opener, 'open'>
  tally: Tally
  rate: EventRate
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
  | { eventId: string | null; drop: DropReason; problem: string }

/** Why events are refused before anybody looks into them. */
const refusals = {
  quota: "the month's events are spent",
  rate: 'too many events at once',
} as const
type Refusal = keyof typeof refusals

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
): Promise<Accepted> => {
  const { projectId, accountId, scrub, filters } = key
  const refusal: Refusal | null = context.isSpent(accountId)
    ? 'quota'
    : context.rate.isFull(projectId)
      ? 'rate'
      : null
  const opened = await context.opener.open({
    ...packed,
    kind,
    project: { projectId, scrub, filters },
    countsOnly: refusal !== null,
    receivedAt: context.now(),
  })
  if ('refused' in opened) return refuseBody(context, key, opened.refused, opened.problem)
  const taken = await Promise.all(
    opened.events.map((event) => takeEvent(context, key, event, refusal)),
  )
  return conclude(context, key, taken, opened)
}

/** Counts a body that was not taken from the wire, or could not be unpacked, as one event. */
export const refuseBody = (
  context: AcceptContext,
  key: DoorKey,
  reason: 'size' | 'invalid',
  problem: string,
): Promise<Accepted> =>
  conclude(context, key, [{ eventId: null, drop: reason, problem }], {
    reports: [],
    unsupported: {},
    eventId: null,
  })

const takeEvent = async (
  context: AcceptContext,
  { projectId }: DoorKey,
  event: OpenedEvent,
  refusal: Refusal | null,
): Promise<Taken> => {
  const refused = (drop: Refusal): Taken => ({
    eventId: event.eventId,
    drop,
    problem: refusals[drop],
  })
  if (!('data' in event) && event.drop === null) return refused(refusal ?? 'rate')
  // those beside it may have come since it was asked whether there is room
  if (refusal === null && !context.rate.take(projectId)) return refused('rate')
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
  try {
    await context.errors.publish({ partition: errorPartitionOf(projectId), messageId, data })
  } catch (error) {
    context.log.warn({ err: error, projectId }, 'an error event could not be taken')
    context.metrics.streamRefused.inc({ why: isFull(error) ? 'full' : 'away' })
    context.tally.lose({ projectId, messageId, eventId })
    return { eventId, drop: 'store', problem: 'the stream is away' }
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
  const limits: RateLimit[] = [
    ...(context.isSpent(key.accountId) ? [quotaLimit(context.now())] : []),
    ...(found(['rate']) === undefined
      ? []
      : [{ seconds: 1, scope: 'project', reason: 'rate_limited' } as const]),
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
  if (!kept) return { ...answer(503, undefined), problem: 'the stream is away' }
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
