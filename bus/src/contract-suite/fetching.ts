import type { StreamConsumer, StreamMessage } from '../port.ts'

/** How the contracts read both streams. */
export const bounds = {
  messagesMax: 1_000,
  bytesMax: 1_000_000,
  waitMs: 5_000,
  signal: new AbortController().signal,
}

export const texts = (messages: readonly StreamMessage[]): string[] =>
  messages.map((message) => Buffer.from(message.data).toString())

/** Fetches until `count` messages arrived. */
export const fetchCount = async (consumer: StreamConsumer, count: number): Promise<StreamMessage[]> => {
  const messages: StreamMessage[] = []
  while (messages.length < count) {
    const fetched = await consumer.fetch(bounds)
    if (fetched.length === 0) throw new Error(`${messages.length} of ${count} messages came`)
    messages.push(...fetched)
  }
  return messages
}
