import { randomUUID } from 'node:crypto'
import { pause } from '@probe-mesh/runtime/pause'
import type { Errors } from '@probe-mesh/bus/port'
import type { ErrorDrops } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import { encodeErrorsMessage } from '../events/errors-message.ts'
import type { TallyMessage } from '../events/errors-message.ts'

/** What is to be counted of one request. */
export type Counts = Partial<Pick<TallyMessage, 'drops' | 'reports' | 'unsupported'>>

const retryMs = 500
/** Counts of a project that come within this after others went go together. */
const gatherMs = 20
/** At the end of the process, for what the stream has not taken. */
const closeMsMax = 5_000
/** For so long the stream surely knows a message by its id; it forgets after ten minutes. */
const knownMsMax = 8 * 60_000
/** Events whose publication failed that are counted each by itself; further ones are counted in sum. */
const doubtsMax = 10_000
/** Kinds of client reports of one project that gather at a time. */
const reportKindsMax = 1_000

export type Tally = {
  /** Resolves with whether the stream holds the counts; where it is away they are kept and go later. */
  add(projectId: string, counts: Counts): Promise<boolean>
  /**
   * Counts an event whose publication failed as dropped, `store`. It may have been taken all the same:
   * its drop goes under its message id, of which the stream holds one. Where the stream was away for
   * longer than it knows ids, whoever stores is asked to count it if none of its id was taken.
   */
  lose(lost: { projectId: string; messageId: string; eventId: string }): void
  /** Counts that the stream has not taken. */
  waiting(): number
  close(): Promise<void>
}

/** A message, under the id by which the stream knows it. */
type Sent = { counts: TallyMessage; messageId: string }

type Pending = { counts: TallyMessage; waiters: ((taken: boolean) => void)[] }

/**
 * Counts on their way to the stream. Those of one project that come while others are under way gather
 * and go together, so that a flood of refusals is a message now and then.
 */
export const createTally = (capabilities: {
  errors: Pick<Errors, 'publish'>
  log: Logger
  now: () => number
}): Tally => {
  const { errors, log, now } = capabilities
  const pending = new Map<string, Pending>()
  const working = new Map<string, Promise<void>>()
  const doubts: { projectId: string; messageId: string; eventId: string; at: number }[] = []
  let doubting: Promise<void> | null = null
  const ended = new AbortController()

  const publish = ({ counts, messageId }: Sent) =>
    errors.publish({
      partition: errorPartitionOf(counts.projectId),
      messageId,
      data: encodeErrorsMessage(counts),
    })
  /** Until the stream has it. @returns false where the process ends before */
  const insist = async (sent: () => Sent, onAway: () => void): Promise<boolean> => {
    for (;;) {
      const next = sent()
      try {
        await publish(next)
        return true
      } catch (error) {
        onAway()
        if (ended.signal.aborted) {
          log.error({ err: error, counts: next.counts }, 'counts of error events are lost')
          return false
        }
        await pause(retryMs, ended.signal)
      }
    }
  }
  const work = async (projectId: string): Promise<void> => {
    for (;;) {
      const next = pending.get(projectId)
      if (next === undefined) {
        // in the same turn: whoever comes next begins anew
        working.delete(projectId)
        return
      }
      pending.delete(projectId)
      const answer = (taken: boolean) => answerInTurns(next.waiters.splice(0), taken)
      const sent = { counts: next.counts, messageId: randomUUID() }
      answer(
        await insist(
          () => sent,
          () => answer(false),
        ),
      )
      await pause(gatherMs, ended.signal)
    }
  }
  const settleDoubts = async (): Promise<void> => {
    for (let doubt = doubts.shift(); doubt !== undefined; doubt = doubts.shift()) {
      const { projectId, messageId, eventId, at } = doubt
      const counts = emptyTally(projectId, at)
      const soon = { counts: { ...counts, drops: { store: 1 } }, messageId }
      const late = { counts: { ...counts, doubted: [eventId] }, messageId: randomUUID() }
      await insist(
        () => (now() - at < knownMsMax ? soon : late),
        () => undefined,
      )
    }
    doubting = null
  }
  const add = (projectId: string, counts: Counts): Promise<boolean> => {
    const waiting = pending.get(projectId) ?? { counts: emptyTally(projectId, now()), waiters: [] }
    pending.set(projectId, waiting)
    merge(waiting.counts, counts)
    const taken = new Promise<boolean>((resolve) => waiting.waiters.push(resolve))
    if (!working.has(projectId)) {
      working.set(projectId, work(projectId))
    }
    return taken
  }

  return {
    add,
    lose: (lost) => {
      if (doubts.length >= doubtsMax) {
        void add(lost.projectId, { drops: { store: 1 } })
        return
      }
      doubts.push({ ...lost, at: now() })
      doubting ??= settleDoubts()
    },
    waiting: () => doubts.length + working.size,
    close: async () => {
      const done = new AbortController()
      const all = Promise.all([...working.values(), doubting])
      await Promise.race([all, pause(closeMsMax, done.signal)])
      done.abort()
      ended.abort()
      await all
    },
  }
}

/** One answer a turn of the event loop: what else has come in waits for one of them, not for all. */
const answerInTurns = (waiters: ((taken: boolean) => void)[], taken: boolean): void => {
  waiters.shift()?.(taken)
  if (waiters.length > 0) setImmediate(answerInTurns, waiters, taken)
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
