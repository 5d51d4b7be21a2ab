import { randomUUID } from 'node:crypto'
import type { Errors } from '@probe-mesh/bus/port'
import type { ErrorDrops } from '../contracts/error-tracking.ts'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import type { Logger } from 'pino'
import type { TallyMessage } from '../events/errors-message.ts'
import {
  quotaLimit,
  busy,
  limitedFor,
  limitOf,
  spendShare,
  type RateLimit,
  type IngestLimits,
  type Limited,
  type Source,
} from './limits.ts'
import type { IngestKey } from '../projects/ingest-keys-store.ts'
import { takeCheckIns, type CheckIns } from './check-ins.ts'
import type { AcceptMetrics } from './metrics.ts'
import type { OpenedEvent, OpenRequest, PackedBody } from './open/open-body.ts'
import type { Opener } from './open/opener.ts'
import type { Tally } from './tally.ts'

export type AcceptContext = {
  errors: Pick<Errors, 'publish'>
  opener: Pick<Opener, 'open'>
  tally: Tally
  limits: IngestLimits
  /** Limits concurrent publications. */
  publishing: Pick<FairPool, 'take'>
  isSpent(accountId: string): boolean
  checkIns: CheckIns
  metrics: AcceptMetrics
  log: Logger
  now: () => number
}

/** The answer to a request. Unless it is 503, all its drops are on the stream. */
export type Accepted = {
  status: 200 | 400 | 404 | 409 | 413 | 429 | 503
  /** The id of the request's event, 32 hexadecimal digits. */
  eventId: string | null
  limits: RateLimit[]
  /** The error message; null without an error. */
  problem: string | null
}

type DropReason = keyof ErrorDrops

/** The result of one event: published, or dropped with the reason. */
type EventResult =
  | { eventId: string; drop: null }
  | { eventId: string | null; drop: DropReason; problem: string; limited?: Limited }

/** The reason to drop all events of a body unread. */
type Refusal = { drop: 'quota' } | { drop: 'rate'; limited: Limited }
const problems = {
  quota: "the month's events are spent",
  rate: 'too many events at once',
} as const
const publishWaitMsMax = 10_000

/**
 * Accepts the body of a request. With 200, each of its events is on the stream, or counted there as dropped.
 * Waits for the stream, never for a database.
 * @param kind `store`: one event without an envelope
 */
export const acceptBody = async (
  context: AcceptContext,
  key: IngestKey,
  kind: OpenRequest['kind'],
  packed: PackedBody,
  network: string,
): Promise<Accepted> => {
  const { limits } = context
  const { projectId, accountId, scrub, filters } = key
  const source = { key, network }
  const refusal = refusalOf(context, source)
  const waitMs = limits.costs.waitMs(projectId, network)
  // opening the body only to count its events would exceed a limit, so it counts as one event
  const dropUnopened = (limited: Limited): Promise<Accepted> =>
    conclude(context, key, [dropOf(context, null, refusal ?? { drop: 'rate', limited })], nothing)
  if (waitMs > 0) return dropUnopened(limitedFor('cost', waitMs))
  const bytes = packed.body.length
  const answer = await context.opener.open(accountId, {
    ...packed,
    kind,
    project: { projectId, scrub, filters },
    countsOnly: refusal !== null,
    receivedAt: context.now(),
  })
  limits.costs.spend(projectId, network, { bytes, threadMs: answer === 'busy' ? 0 : answer.ms })
  if (answer === 'busy') return dropUnopened(busy)
  const { opened } = answer
  if ('refused' in opened) return rejectBody(context, key, opened.refused, opened.problem)
  const results = await publishEvents(context, source, opened.events, refusal)
  // check-ins are free of the quota: they are no events
  const checkIns = await takeCheckIns(context, accountId, opened.checkIns, network)
  const refused = checkIns.first
  const unsupported =
    checkIns.refused === 0 ? opened.unsupported : { ...opened.unsupported, check_in: checkIns.refused }
  const accepted = await conclude(context, key, results, { ...opened, unsupported })
  // a refusal would make the client discard events that were published
  if (refused === null || opened.events.length > 0 || accepted.status !== 200) return accepted
  const wait: RateLimit[] =
    refused.status === 429 ? [{ seconds: 1, scope: 'project', reason: 'rate_limited' }] : []
  return { ...accepted, ...refused, limits: [...accepted.limits, ...wait] }
}

const nothing = { reports: [], unsupported: {}, eventId: null }

const refusalOf = (context: AcceptContext, source: Source): Refusal | null => {
  if (context.isSpent(source.key.accountId)) return { drop: 'quota' }
  const limited = limitOf(context.limits, source)
  return limited === null ? null : { drop: 'rate', limited }
}

const dropOf = (context: AcceptContext, eventId: string | null, refusal: Refusal): EventResult => {
  const { drop } = refusal
  if (drop === 'rate') context.metrics.limited.inc({ limit: refusal.limited.limit })
  return { eventId, problem: problems[drop], ...refusal }
}

/** Counts a body that is too large or cannot be unpacked as one event. */
export const rejectBody = (
  context: AcceptContext,
  key: IngestKey,
  reason: 'size' | 'invalid',
  problem: string,
): Promise<Accepted> => conclude(context, key, [{ eventId: null, drop: reason, problem }], nothing)

/** Publishes the events of a body in the account's share of concurrent publications. */
const publishEvents = async (
  context: AcceptContext,
  source: Source,
  events: readonly OpenedEvent[],
  refusal: Refusal | null,
): Promise<EventResult[]> => {
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
    return await Promise.all(events.map((event) => publishEvent(context, source, event, denied)))
  } finally {
    if (place !== null && !isBusy) place.release()
  }
}

const publishEvent = async (
  context: AcceptContext,
  source: Source,
  event: OpenedEvent,
  refusal: Refusal | null,
): Promise<EventResult> => {
  const { projectId, accountId } = source.key
  if (!('data' in event) && event.drop === null) {
    return dropOf(context, event.eventId, refusal ?? { drop: 'rate', limited: busy })
  }
  if (refusal !== null) return dropOf(context, event.eventId, refusal)
  // concurrent events may have used the limits since the first check
  const limited =
    context.limits.rate.take(projectId) === 0
      ? 'data' in event
        ? spendShare(context.limits, source)
        : null
      : limitedFor('second', 0)
  if (limited !== null) return dropOf(context, event.eventId, { drop: 'rate', limited })
  if (!('data' in event)) {
    const { eventId, drop, problem, detail = '' } = event
    if (drop === 'filtered') context.metrics.filtered.inc({ filter: detail })
    if (drop === 'scrub') {
      context.log.error({ projectId, eventId, kind: detail }, 'an error event could not be scrubbed')
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
    context.tally.dropUnconfirmed({ projectId, messageId, eventId })
    return { eventId, drop: 'store', problem: 'temporarily unavailable; retry later' }
  }
  return { eventId, drop: null }
}

const conclude = async (
  context: AcceptContext,
  key: IngestKey,
  results: readonly EventResult[],
  rest: Pick<TallyMessage, 'reports' | 'unsupported'> & { eventId: string | null },
): Promise<Accepted> => {
  const drops: Partial<ErrorDrops> = {}
  for (const { drop } of results) {
    context.metrics.events.inc({ answer: drop ?? 'taken' })
    // `dropUnconfirmed` counts the `store` drops
    if (drop !== null && drop !== 'store') drops[drop] = (drops[drop] ?? 0) + 1
  }
  const { reports, unsupported } = rest
  const isEmpty = Object.keys(drops).length + reports.length + Object.keys(unsupported).length === 0
  const isCounted = isEmpty || (await context.tally.add(key.projectId, { drops, reports, unsupported }))
  const find = (reasons: readonly DropReason[]) =>
    results.find(({ drop }) => drop !== null && reasons.includes(drop))
  const seconds = Math.max(0, ...results.map((one) => ('limited' in one ? (one.limited?.seconds ?? 0) : 0)))
  const limits: RateLimit[] = [
    ...(context.isSpent(key.accountId) ? [quotaLimit(context.now())] : []),
    ...(seconds === 0 ? [] : [{ seconds, scope: 'project', reason: 'rate_limited' } as const]),
  ]
  const answer = (status: Accepted['status'], cause: EventResult | undefined): Accepted => ({
    status,
    eventId: results.find(({ eventId }) => eventId !== null)?.eventId ?? rest.eventId,
    limits,
    problem: cause !== undefined && cause.drop !== null ? cause.problem : null,
  })
  const unconfirmed = find(['store'])
  if (unconfirmed !== undefined) return answer(503, unconfirmed)
  // a crash would lose counts that exist only in this process, so the request is not confirmed
  if (!isCounted) return { ...answer(503, undefined), problem: 'temporarily unavailable; retry later' }
  const limited = find(['quota', 'rate'])
  if (limited !== undefined) return answer(429, limited)
  const large = find(['size'])
  if (large !== undefined) return answer(413, large)
  // 400 would make the client discard the whole envelope, although one of its events was published
  const isAnyPublished = results.some(({ drop }) => drop === null)
  const wrong = isAnyPublished ? undefined : find(['invalid', 'scrub'])
  if (wrong?.drop === 'invalid') return answer(400, wrong)
  return answer(200, wrong)
}

/** The error messages of a full stream: the in-process log, JetStream's `max_bytes`, a full disk. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && /is full|maximum bytes|does not take/i.test(error.message)
