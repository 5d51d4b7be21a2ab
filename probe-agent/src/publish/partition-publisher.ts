import { pause } from '@probe-mesh/runtime/pause'
import type { Log } from '@probe-mesh/bus/log/log'
import type { Logger } from '@probe-mesh/bus/logger'
import { BusUnavailable, type Readings } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { SetTimer } from '../schedule/set-timer.ts'
import { isUp } from './spool/keep-failures.ts'
import { backoffMs } from './backoff.ts'
import { blockAgeMs, type Worth } from './block-age.ts'
import { encodeMessage, messageIdOf } from './message.ts'
import { createSent, type Sent } from './sent.ts'

/**
 * Limit of published messages that are not stored yet, per partition. Wide on purpose: the status
 * comes from the stream and must not wait for ClickHouse. The stream's own limit stops an agent
 * first.
 */
const sentMax = 10_000

/** Readings kept in memory, per partition, while the disk fails. */
const unspooledMax = 1_000

/** Size of a message without its readings, bytes. */
const messageHeadBytesMax = 1_024

/** Pause after a failure that only a bug or a broken disk explains, ms. */
const failurePauseMs = 1_000

/**
 * Without a mark for this long all unreleased readings are published again, ms; doubles up to
 * `last`.
 */
export const republishMs = { first: 60_000, last: 3_600_000 } as const

export type PublishOutcome = 'published' | 'duplicate' | 'unavailable' | 'failed' | 'republished'

type PartitionPublisherCapabilities = {
  agent: string
  region: string
  partition: number
  spool: Log
  readings: Pick<Readings, 'publish'>
  /** The next batch number; this agent has never used it for this partition. */
  nextBatch: () => number
  /** Unix ms */
  now: () => number
  /** May call early. */
  setTimer: SetTimer
  random: () => number
  log: Logger
  onOutcome: (outcome: PublishOutcome) => void
  sentMax?: number
}

/** Publishes one partition's readings in their order, one message at a time. */
type PartitionPublisher = {
  /** The spool has new readings. */
  wake(worth: Worth): void
  /** The bus is back: retry now. */
  hurry(): void
  /**
   * Accepts a reading that the disk refused. Returns false when the memory is full: it then drops
   * the oldest `up` reading if the new one is not `up`, else the new one (F-17).
   */
  addUnspooled(bytes: Uint8Array): boolean
  mark(batch: number): void
  /** Publishes all unreleased readings again when no mark came for too long. */
  republishSilent(): void
  /** Resolves when everything is published, too many messages are unmarked, or it is closed. */
  flush(): Promise<void>
  close(): Promise<void>
  readonly sentCount: number
}

type PublisherState = PartitionPublisherCapabilities & {
  readonly sent: Sent
  readonly closing: AbortController
  readonly unspooled: Uint8Array[]
  /** How many of the first unspooled readings are in the message being published. */
  unspooledSending: number
  readonly sentBound: number
  /** The sequence to publish next. */
  cursor: number
  /** The last batch that the stream accepted in this pass over the spool. */
  after: number | null
  silenceMs: number
  /** The pause between two tries. */
  waiting: AbortController
  /** Publish without waiting for a full message. */
  hurry: boolean
  pumping: Promise<void> | null
  timer: { cancel: () => void; ageMs: number } | null
  /** When the last message was made, and how much came until then since the one before. */
  madeAtMs: number | null
  last: { readings: number; overMs: number } | null
}

export const createPartitionPublisher = (
  capabilities: PartitionPublisherCapabilities,
): PartitionPublisher => {
  const state: PublisherState = {
    ...capabilities,
    sent: createSent(),
    closing: new AbortController(),
    waiting: new AbortController(),
    unspooled: [],
    unspooledSending: 0,
    sentBound: capabilities.sentMax ?? sentMax,
    cursor: capabilities.spool.first,
    after: null,
    silenceMs: republishMs.first,
    hurry: false,
    pumping: null,
    timer: null,
    madeAtMs: null,
    last: null,
  }
  return {
    wake: (worth) => wake(state, worth),
    hurry: () => state.waiting.abort(),
    addUnspooled: (bytes) => addUnspooled(state, bytes),
    mark: (batch) => mark(state, batch),
    republishSilent: () => republishSilent(state),
    flush: async () => {
      state.hurry = true
      while (isPublishable(state) && !state.closing.signal.aborted) await pump(state)
    },
    close: async () => {
      state.timer?.cancel()
      state.closing.abort()
      state.waiting.abort()
      await state.pumping
    },
    get sentCount() {
      return state.sent.size
    },
  }
}

const addUnspooled = (state: PublisherState, bytes: Uint8Array): boolean => {
  const { unspooled, unspooledSending } = state
  const isFull = unspooled.length >= unspooledMax
  if (isFull) {
    if (isUp(bytes)) return false
    const victim = unspooled.findIndex((one, at) => at >= unspooledSending && isUp(one))
    if (victim === -1) return false
    unspooled.splice(victim, 1)
  }
  unspooled.push(bytes)
  wake(state)
  return !isFull
}

const available = (state: PublisherState): number =>
  state.spool.last - Math.max(state.cursor, state.spool.first) + 1 + state.unspooled.length

const isPublishable = (state: PublisherState): boolean =>
  available(state) > 0 && state.sent.size < state.sentBound

/** What comes during a publication is taken as news. */
const wake = (state: PublisherState, worth: Worth = 'news'): void => {
  if (state.closing.signal.aborted || state.pumping !== null) return
  if (available(state) >= limits.readingsPerMessageMax) return void pump(state)
  const ageMs = blockAgeMs(state.last, worth)
  if (state.timer !== null && state.timer.ageMs <= ageMs) return
  state.timer?.cancel()
  const cancel = state.setTimer(ageMs, () => {
    state.timer = null
    void pump(state)
  })
  state.timer = { cancel, ageMs }
}

/** Runs one pump at a time; concurrent callers share it. */
const pump = (state: PublisherState): Promise<void> => {
  state.pumping ??= publishAll(state)
    .catch((error: unknown) => {
      state.onOutcome('failed')
      state.log.error({ err: error, partition: state.partition }, 'publishing the spool failed')
      return pause(failurePauseMs, state.closing.signal)
    })
    .finally(() => {
      state.pumping = null
      if (isPublishable(state)) wake(state)
    })
  return state.pumping
}

const publishAll = async (state: PublisherState): Promise<void> => {
  let full = true
  while ((full || state.hurry) && isPublishable(state)) {
    if (state.closing.signal.aborted) return
    full = await publishOne(state)
  }
}

/** Publishes one message with all retries. Resolves whether the message was full. */
const publishOne = async (state: PublisherState): Promise<boolean> => {
  const { agent, region, partition } = state
  const entries = state.spool.read(state.cursor, {
    countMax: limits.readingsPerMessageMax,
    bytesMax: limits.readingsMessageBytesMax - messageHeadBytesMax,
  })
  const through = entries.at(-1)?.sequence ?? state.spool.last
  const unspooled = entries.length === 0 ? state.unspooled.slice(0, limits.readingsPerMessageMax) : []
  const readings = [...entries.map(({ bytes }) => bytes), ...unspooled]
  if (readings.length > 0) {
    const nowMs = state.now()
    state.last =
      state.madeAtMs === null ? null : { readings: readings.length, overMs: nowMs - state.madeAtMs }
    state.madeAtMs = nowMs
    const head = { agent, region, partition, batch: state.nextBatch(), after: state.after }
    const data = encodeMessage(head, readings)
    state.unspooledSending = unspooled.length
    if (!(await publishUntilAccepted(state, messageIdOf(head), data))) return false
    state.after = head.batch
    state.sent.add(head.batch, through, state.now())
    state.unspooled.splice(0, unspooled.length)
    state.unspooledSending = 0
  }
  state.cursor = Math.max(state.cursor, through + 1)
  return readings.length >= limits.readingsPerMessageMax
}

/** Resolves true when the stream has the message, false when closed before. */
const publishUntilAccepted = async (
  state: PublisherState,
  messageId: string,
  data: Uint8Array,
): Promise<boolean> => {
  const { partition, region, closing } = state
  for (let attempt = 0; !closing.signal.aborted; attempt++) {
    state.waiting = new AbortController()
    let requestedMs = 0
    try {
      const { duplicate } = await state.readings.publish({ partition, region, messageId, data })
      state.onOutcome(duplicate ? 'duplicate' : 'published')
      return true
    } catch (error) {
      if (error instanceof BusUnavailable) {
        requestedMs = error.waitMs
        state.onOutcome('unavailable')
      } else {
        state.onOutcome('failed')
        state.log.error({ err: error, messageId }, 'publishing a message of readings failed')
      }
      await pause(requestedMs + backoffMs(attempt, state.random()), state.waiting.signal)
    }
  }
  return false
}

const mark = (state: PublisherState, batch: number): void => {
  const through = state.sent.mark(batch)
  if (through === null) return
  state.silenceMs = republishMs.first
  state.spool.release(through)
  state.cursor = Math.max(state.cursor, state.spool.first)
  if (isPublishable(state)) wake(state)
}

const republishSilent = (state: PublisherState): void => {
  const oldestAt = state.sent.oldestAt()
  if (oldestAt === null || state.now() - oldestAt < state.silenceMs) return
  if (state.pumping !== null) return
  state.silenceMs = Math.min(state.silenceMs * 2, republishMs.last)
  state.sent.join(state.now())
  state.cursor = state.spool.first
  state.after = null
  state.onOutcome('republished')
  state.log.warn(
    { partition: state.partition },
    'readings were not confirmed as stored; publishing them again',
  )
  wake(state)
}
