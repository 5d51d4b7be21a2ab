import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Reading } from '@probe-mesh/contracts/reading'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { decodeMessage } from '../readings/decode.ts'
import type { DecodedMessage } from '../readings/decode.ts'
import type { IngestContext } from './context.ts'
import type { CheckFacts } from './directory.ts'

/** What can be known of a batch before the one ahead of it is stored. */
export type PreparedBatch = {
  messages: readonly StreamMessage[]
  decoded: readonly DecodedMessage[]
  /** Every good reading in order: a position in here is what a batch records as dropped. */
  readings: readonly Reading[]
  facts: ReadonlyMap<string, CheckFacts>
}

/** Messages decoded in one go: about 10 ms, so that nothing else in the process waits for longer. */
const messagesPerTurn = 10

/** Takes messages apart and looks up their checks, while the batch ahead is being stored. */
export const prepareBatch = async (
  context: Pick<IngestContext, 'directory' | 'retry'>,
  messages: readonly StreamMessage[],
): Promise<PreparedBatch> => {
  const decoded: DecodedMessage[] = []
  for (const message of messages) {
    decoded.push(decodeMessage(message))
    if (decoded.length % messagesPerTurn === 0) await yieldToLoop()
  }
  const readings = decoded.flatMap((message) => message.readings)
  const checkIds = new Set(readings.map((reading) => reading.checkId))
  const facts = await context.retry('postgres', () => context.directory.find(checkIds))
  return { messages, decoded, readings, facts }
}
