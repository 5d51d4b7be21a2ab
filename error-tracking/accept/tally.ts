import { randomUUID } from 'node:crypto'
import { pause } from '@probe-mesh/runtime/pause'
import type { Errors } from '@probe-mesh/bus/port'
import type { ErrorDrops } from '../contracts/error-tracking.ts'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import { encodeErrorsMessage, type TallyMessage } from '../events/errors-message.ts'

/** The counts of one request. */
type Counts = Partial<Pick<TallyMessage, 'drops' | 'reports' | 'unsupported'>>

const retryMs = 500
/** The pause after a message of a project. Counts in this time share the next message. */
const gatherMs = 20
/** The longest wait at shutdown for unpublished counts. */
const closeMsMax = 5_000
/** The stream deduplicates message ids for ten minutes; this is less, to be safe. */
const deduplicationMsMax = 8 * 60_000
/** Unconfirmed events that are tracked one by one. Further ones are counted as dropped. */
const unconfirmedMax = 10_000
/** Kinds of client reports of one project in one message. */
const reportKindsMax = 1_000

export type Tally = {
  /** @returns true when the counts are on the stream; false if it is unavailable. They are then retried. */
  add(projectId: string, counts: Counts): Promise<boolean>
  /**
   * Counts an event without a publish acknowledgement as dropped (`store`). The stream may have it: so the
   * drop is published under the event's message id, and the stream keeps only one of the two. If the outage
   * exceeds the deduplication time, the persister counts the drop only if it does not know the event id.
   */
  dropUnconfirmed(event: { projectId: string; messageId: string; eventId: string }): void
  /** Counts that are not on the stream yet. */
  waiting(): number
  close(): Promise<void>
}

type Outgoing = { counts: TallyMessage; messageId: string }

type Pending = { counts: TallyMessage; waiters: ((isPublished: boolean) => void)[] }

/**
 * Publishes counts to the stream. Counts of one project that arrive during a publication share the next
 * message, so that a flood of refusals causes few messages.
 */
export const createTally = (capabilities: {
  errors: Pick<Errors, 'publish'>
  log: Logger
  now: () => number
}): Tally => {
  const { errors, log, now } = capabilities
  const pending = new Map<string, Pending>()
  const working = new Map<string, Promise<void>>()
  const unconfirmed: { projectId: string; messageId: string; eventId: string; at: number }[] = []
  let settling: Promise<void> | null = null
  const ended = new AbortController()

  const publish = ({ counts, messageId }: Outgoing) =>
    errors.publish({
      partition: errorPartitionOf(counts.projectId),
      messageId,
      data: encodeErrorsMessage(counts),
    })
  /** Retries until the stream has the message. @returns false if the process ends before */
  const publishWithRetries = async (message: () => Outgoing, onFailure: () => void): Promise<boolean> => {
    for (;;) {
      const next = message()
      try {
        await publish(next)
        return true
      } catch (error) {
        onFailure()
        if (ended.signal.aborted) {
          log.error({ err: error, counts: next.counts }, 'counts of error events are lost')
          return false
        }
        await pause(retryMs, ended.signal)
      }
    }
  }
  const publishPending = async (projectId: string): Promise<void> => {
    for (;;) {
      const next = pending.get(projectId)
      if (next === undefined) {
        // synchronously after the check, so that the next `add` starts a new loop
        working.delete(projectId)
        return
      }
      pending.delete(projectId)
      const answer = (isPublished: boolean) => answerInTurns(next.waiters.splice(0), isPublished)
      const message = { counts: next.counts, messageId: randomUUID() }
      answer(
        await publishWithRetries(
          () => message,
          () => answer(false),
        ),
      )
      await pause(gatherMs, ended.signal)
    }
  }
  const settleUnconfirmed = async (): Promise<void> => {
    for (let event = unconfirmed.shift(); event !== undefined; event = unconfirmed.shift()) {
      const { projectId, messageId, eventId, at } = event
      const counts = emptyTally(projectId, at)
      const soon = { counts: { ...counts, drops: { store: 1 } }, messageId }
      const late = { counts: { ...counts, doubted: [eventId] }, messageId: randomUUID() }
      await publishWithRetries(
        () => (now() - at < deduplicationMsMax ? soon : late),
        () => undefined,
      )
    }
    settling = null
  }
  const add = (projectId: string, counts: Counts): Promise<boolean> => {
    const waiting = pending.get(projectId) ?? { counts: emptyTally(projectId, now()), waiters: [] }
    pending.set(projectId, waiting)
    merge(waiting.counts, counts)
    const published = new Promise<boolean>((resolve) => waiting.waiters.push(resolve))
    if (!working.has(projectId)) {
      working.set(projectId, publishPending(projectId))
    }
    return published
  }

  return {
    add,
    dropUnconfirmed: (event) => {
      if (unconfirmed.length >= unconfirmedMax) {
        void add(event.projectId, { drops: { store: 1 } })
        return
      }
      unconfirmed.push({ ...event, at: now() })
      settling ??= settleUnconfirmed()
    },
    waiting: () => unconfirmed.length + working.size,
    close: async () => {
      const done = new AbortController()
      const all = Promise.all([...working.values(), settling])
      await Promise.race([all, pause(closeMsMax, done.signal)])
      done.abort()
      ended.abort()
      await all
    },
  }
}

/** Answers one waiter per turn of the event loop, so that other work does not wait for all of them. */
const answerInTurns = (waiters: ((isPublished: boolean) => void)[], isPublished: boolean): void => {
  waiters.shift()?.(isPublished)
  if (waiters.length > 0) setImmediate(answerInTurns, waiters, isPublished)
}

const emptyTally = (projectId: string, at: number): TallyMessage => ({
  kind: 'tally',
  projectId,
  at,
  drops: {},
  reports: [],
  unsupported: {},
})

const merge = (into: TallyMessage, { drops = {}, reports = [], unsupported = {} }: Counts): void => {
  for (const [reason, events] of Object.entries(drops) as [keyof ErrorDrops, number][]) {
    into.drops[reason] = (into.drops[reason] ?? 0) + events
  }
  for (const { category, reason, quantity } of reports) {
    const known = into.reports.find((one) => one.category === category && one.reason === reason)
    if (known !== undefined) known.quantity += quantity
    else if (into.reports.length < reportKindsMax) into.reports.push({ category, reason, quantity })
  }
  for (const [type, items] of Object.entries(unsupported)) {
    into.unsupported[type] = (into.unsupported[type] ?? 0) + items
  }
}
