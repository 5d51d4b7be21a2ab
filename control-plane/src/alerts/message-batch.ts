/** The messages that wait for one receiver, and its rate limit. Times are Unix milliseconds. */
export type MessageBatch = {
  /** When the first message arrived, and when the batch is sent; null: no message waits. */
  openedAtMs: number | null
  sendAtMs: number | null
  /** The rate limit: messages sent since this time. */
  sentSinceMs: number
  sent: number
}

export const newBatch: MessageBatch = {
  openedAtMs: null,
  sendAtMs: null,
  sentSinceMs: 0,
  sent: 0,
}

/** A message waits this long for others. Each further message extends the wait, up to the maximum. */
const batchMs = 2_000
const batchMsMax = 15_000
/** Beyond this many messages a minute, a receiver gets digests, and a few messages that arrive alone. */
export const messagesPerMinuteMax = 5
export const singlesPerMinuteMax = 5
const minuteMs = 60_000

/**
 * Adds a message. A message alone is sent after `batchMs`, also during a storm; several become one
 * digest a minute during a storm (S-1906).
 */
export const addToBatch = (batch: MessageBatch, nowMs: number): MessageBatch => {
  const openedAtMs = batch.openedAtMs ?? nowMs
  const goesSingly = batch.openedAtMs === null && mayGoSingly(batch)
  const sendAtMs =
    isFull(batch, nowMs) && !goesSingly
      ? Math.max(nowMs + batchMs, batch.sentSinceMs + minuteMs)
      : Math.max(batch.sendAtMs ?? 0, Math.min(openedAtMs + batchMsMax, nowMs + batchMs))
  return { ...batch, openedAtMs, sendAtMs }
}

/** Empties the batch for sending: as a digest when the rate limit does not allow single messages. */
export const closeBatch = (
  batch: MessageBatch,
  count: number,
  nowMs: number,
): { batch: MessageBatch; asDigest: boolean } => {
  const isNewMinute = nowMs - batch.sentSinceMs >= minuteMs
  const sent = isNewMinute ? 0 : batch.sent
  const asDigest = count > 1 && sent + count > messagesPerMinuteMax
  return {
    asDigest,
    batch: {
      openedAtMs: null,
      sendAtMs: null,
      sentSinceMs: isNewMinute ? nowMs : batch.sentSinceMs,
      sent: asDigest ? Math.max(messagesPerMinuteMax, sent + 1) : sent + count,
    },
  }
}

const mayGoSingly = ({ sent }: MessageBatch): boolean => sent < messagesPerMinuteMax + singlesPerMinuteMax

const isFull = ({ sent, sentSinceMs }: MessageBatch, nowMs: number): boolean =>
  sent >= messagesPerMinuteMax && nowMs - sentSinceMs < minuteMs
