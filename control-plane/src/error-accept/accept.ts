import { randomUUID } from 'node:crypto'
import type { Errors } from '@probe-mesh/bus/port'
import type { ErrorDrops } from '@probe-mesh/contracts/error-tracking'
import { errorPartitionOf } from '@probe-mesh/contracts/partition'
import type { Logger } from 'pino'
import { parseEnvelope } from '../error-tracking/envelope/parse-envelope.ts'
import type { EnvelopeItem } from '../error-tracking/envelope/parse-envelope.ts'
import { readClientReport } from '../error-tracking/envelope/read-client-report.ts'
import { readEvent } from '../error-tracking/envelope/read-event.ts'
import { encodeErrorsMessage } from '../error-tracking/errors-message.ts'
import type { TallyMessage } from '../error-tracking/errors-message.ts'
import { filteredBy } from '../error-tracking/filter/filter-event.ts'
import { quotaLimit } from '../error-tracking/rate-limits.ts'
import type { RateLimit } from '../error-tracking/rate-limits.ts'
import { scrubEvent } from '../error-tracking/scrub/scrub.ts'
import { toErrorEvent } from '../error-tracking/to-error-event.ts'
import type { DoorKey } from '../postgres/error-door.ts'
import type { AcceptMetrics } from './metrics.ts'
import type { Tally } from './tally.ts'

/** Of one message on the stream, which takes 1 MiB with its headers. */
const messageBytesMax = 1_000_000

/** Item types that SDKs send and that are counted by name; any other is `other`. */
const unsupportedTypes = new Set([
  'transaction',
  'session',
  'sessions',
  'attachment',
  'user_report',
  'feedback',
  'profile',
  'profile_chunk',
  'replay_event',
  'replay_recording',
  'replay_video',
  'check_in',
  'log',
  'metric_buckets',
  'statsd',
  'span',
  'trace_metric',
  'raw_security',
])

export type AcceptContext = {
  errors: Pick<Errors, 'publish'>
  tally: Tally
  /** Whether one more event of the project may come in this second. */
  allows(projectId: string): boolean
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

/**
 * Takes an envelope: each of its events is on the stream, or counted there as dropped, before this
 * resolves with 200. Waits for the stream only, never for a store.
 */
export const acceptEnvelope = async (
  context: AcceptContext,
  key: DoorKey,
  body: Uint8Array,
): Promise<Accepted> => {
  const envelope = parseEnvelope(body)
  if ('problem' in envelope) return refuseBody(context, key, 'invalid', envelope.problem)
  const events = envelope.items.filter(({ type }) => type === 'event')
  const reports = envelope.items.filter(({ type }) => type === 'client_report')
  const others = envelope.items.filter(({ type }) => type !== 'event' && type !== 'client_report')
  const { eventId } = envelope.header
  const taken = await Promise.all(
    events.map(({ payload }) => takeEvent(context, key, payload, eventId)),
  )
  // what could not be read may have been the event
  if (envelope.broken !== null && events.length === 0) {
    taken.push({ eventId: null, drop: 'invalid', problem: envelope.broken })
  }
  return conclude(context, key, taken, {
    reports: reports.flatMap(({ payload }) => readClientReport(jsonOf(payload))),
    unsupported: countTypes(others),
    eventId: eventId ?? null,
  })
}

/** Takes the body of `/store/`: one event without an envelope. */
export const acceptStored = async (
  context: AcceptContext,
  key: DoorKey,
  body: Uint8Array,
): Promise<Accepted> => {
  const taken = await takeEvent(context, key, body, undefined)
  return conclude(context, key, [taken], { reports: [], unsupported: {}, eventId: null })
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
  { projectId, accountId, scrub, filters }: DoorKey,
  payload: Uint8Array,
  envelopeId: string | undefined,
): Promise<Taken> => {
  const dropped = (drop: DropReason, problem: string, eventId = envelopeId ?? null): Taken => ({
    eventId,
    drop,
    problem,
  })
  if (context.isSpent(accountId)) return dropped('quota', "the month's events are spent")
  if (!context.allows(projectId)) return dropped('rate', 'too many events at once')
  const receivedAt = context.now()
  const arrival = { receivedAt, ...(envelopeId === undefined ? {} : { eventId: envelopeId }) }
  const raw = readEvent(jsonOf(payload), arrival)
  if ('problem' in raw) return dropped('invalid', `event: ${raw.problem}`)
  const { eventId } = raw
  const filter = filteredBy(raw, filters)
  if (filter !== null) {
    context.metrics.filtered.inc({ filter })
    return dropped('filtered', 'a filter of the project drops it', eventId)
  }
  let data: Uint8Array
  try {
    const event = toErrorEvent(scrubEvent(raw, scrub), projectId, scrub)
    data = encodeErrorsMessage({ kind: 'event', event })
  } catch (error) {
    // of the event itself nothing may be said: it is not scrubbed
    const kind = error instanceof Error ? error.name : typeof error
    context.log.error({ projectId, eventId, kind }, 'an error event could not be scrubbed')
    return dropped('scrub', 'the event could not be scrubbed', eventId)
  }
  if (data.length > messageBytesMax) return dropped('size', 'the event is too large', eventId)
  const messageId = randomUUID()
  try {
    await context.errors.publish({ partition: errorPartitionOf(projectId), messageId, data })
  } catch (error) {
    context.log.warn({ err: error, projectId }, 'an error event could not be taken')
    context.metrics.streamRefused.inc({ why: isFull(error) ? 'full' : 'away' })
    context.tally.lose({ projectId, messageId, eventId })
    return dropped('store', 'the stream is away', eventId)
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

const jsonOf = (payload: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(payload))
  } catch {
    return undefined
  }
}

const countTypes = (items: readonly EnvelopeItem[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { type } of items) {
    const name = unsupportedTypes.has(type) ? type : 'other'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
