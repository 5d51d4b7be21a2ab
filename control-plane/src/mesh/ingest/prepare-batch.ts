import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { IngestContext } from './context.ts'
import type { CheckFacts } from './directory.ts'
import type { Holding } from './holding.ts'
import type { FetchedMessage } from './pending.ts'

/** What can be known of a batch before the one ahead of it is stored. */
export type PreparedBatch = {
  fetched: readonly FetchedMessage[]
  /** By partition: whose messages these are. */
  holdings: ReadonlyMap<number, Holding>
  decoded: readonly DecodedMessage[]
  /** Every good reading in order: a position in here is what a batch records as dropped. */
  readings: readonly Reading[]
  facts: ReadonlyMap<string, CheckFacts>
}

/** Messages decoded in one go: about 10 ms, so that nothing else in the process waits for longer. */
const messagesPerTurn = 10

/** Takes messages apart and looks up their checks, while the batch ahead is being stored. */
export const prepareBatch = async (
  context: Pick<IngestContext, 'decode' | 'directory' | 'retry'>,
  fetched: readonly FetchedMessage[],
): Promise<PreparedBatch> => {
  const holdings = new Map<number, Holding>()
  const decoded: DecodedMessage[] = []
  for (const { holding, message } of fetched) {
    holdings.set(message.partition, holding)
    decoded.push(context.decode(message))
    if (decoded.length % messagesPerTurn === 0) await yieldToLoop()
  }
  const { readings, facts } = await gather(context, decoded)
  return { fetched, holdings, decoded, readings, facts }
}

/** The good readings of messages, and what is known of their checks. */
export const gather = async (
  context: Pick<IngestContext, 'directory' | 'retry'>,
  decoded: readonly DecodedMessage[],
): Promise<Pick<PreparedBatch, 'readings' | 'facts'>> => {
  const readings = decoded.flatMap((message) => message.readings)
  const checkIds = new Set(readings.map((reading) => reading.checkId))
  const facts = await context.retry('postgres', () => context.directory.find(checkIds))
  return { readings, facts }
}
