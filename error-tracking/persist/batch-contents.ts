import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { ErrorEvent } from '../events/error-event.ts'
import { decodeErrorsMessage, type TallyMessage } from '../events/errors-message.ts'
import type { ErrorBatch, Watermark } from './error-batches-store.ts'
import {
  toPoison,
  setAsideReason,
  type SetAside,
  type Poison,
} from '@probe-mesh/control-plane/src/readings/poison'

/** Messages that are decoded without a yield: about 1 ms, the longest delay for other work. */
const messagesPerTurn = 10

/** The decoded messages of a batch, in order. Decoding is deterministic, also after a crash. */
export type BatchContents = {
  events: ErrorEvent[]
  tallies: TallyMessage[]
  poison: Poison[]
}

export const contentsOf = async (
  messages: readonly StreamMessage[],
  nowMs: number,
  setAside?: SetAside,
): Promise<BatchContents> => {
  const contents: BatchContents = { events: [], tallies: [], poison: [] }
  for (const [index, source] of messages.entries()) {
    if (index % messagesPerTurn === messagesPerTurn - 1) await yieldToLoop()
    const message =
      setAside?.has(source) === true ? { problem: setAsideReason } : decodeErrorsMessage(source.data)
    if ('problem' in message) {
      const reason = `error event: ${message.problem}`
      const part = { owner: 'error events', reason, payload: source.data }
      contents.poison.push(toPoison({ ...source, storedAt: nowMs }, part, nowMs))
    } else if (message.kind === 'event') contents.events.push(message.event)
    else contents.tallies.push(message)
  }
  return contents
}

/** @param messages at least one, in order */
export const newBatch = (
  partition: number,
  messages: readonly StreamMessage[],
  nowMs: number,
): ErrorBatch => ({
  partition,
  token: uuidv7(nowMs),
  first: messages[0]?.sequence ?? 0,
  last: messages.at(-1)?.sequence ?? 0,
  messages: messages.length,
  lastStoredAtMs: Math.max(...messages.map(({ storedAt }) => storedAt)),
  createdAtMs: nowMs,
})

/**
 * Whether a message was counted before. The time distinguishes it from a later message with the same sequence
 * on a recreated stream.
 */
export const isCounted = (
  { sequence, storedAt }: Pick<StreamMessage, 'sequence' | 'storedAt'>,
  watermark: Watermark | null,
): boolean => watermark !== null && sequence <= watermark.sequence && storedAt <= watermark.storedAtMs
