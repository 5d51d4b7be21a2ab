import type { StreamMessage } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { recordPoison } from '../ingest/ingest-batches-store.ts'
import { findStatesOfChecks } from '../../status/states-store.ts'
import { ownerOf, toPoison } from '../../readings/poison.ts'
import { isOfTheData } from '../../stores/retry.ts'
import type { Confirmation } from './book.ts'
import type { AssessContext } from './context.ts'
import type { Holding } from './holding.ts'

/**
 * Takes readings into the book, and asks the other regions where one of them fails first. Nothing is taken
 * of a partition that was left meanwhile.
 */
export const judgeMessages = async (
  context: AssessContext,
  holding: Holding,
  messages: readonly StreamMessage[],
): Promise<void> => {
  const { book, watch, confirmer, metrics } = context
  const readings = messages.flatMap((message) => context.decode(message).readings)
  await loadUnknown(context, holding, readings)
  // left meanwhile: its checks may be judged here under another lease already
  if (holding.signal.aborted) return
  const asking = new Map<string, Confirmation>()
  // a backlog is judged in the order it was measured: what its regions sent lies side by side in it
  for (const reading of readings.toSorted((a, b) => a.measuredAt - b.measuredAt)) {
    watch.take(reading)
    const confirmation = book.observe(reading)
    if (confirmation !== null) asking.set(reading.checkId, joined(asking, confirmation))
  }
  for (const confirmation of asking.values()) confirmer.ask(confirmation)
  context.onReadings?.(readings)
  context.certificates?.take(readings)
  metrics.readings.inc(readings.length)
}

/** Of a check that several readings ask about at once each region is asked once, after all of them. */
const joined = (
  asking: ReadonlyMap<string, Confirmation>,
  confirmation: Confirmation,
): Confirmation => {
  const before = asking.get(confirmation.checkId)?.regions ?? []
  return { ...confirmation, regions: [...new Set([...before, ...confirmation.regions])] }
}

/**
 * The same one message at a time, where judging them together failed for what one of them holds: that one is
 * put aside, and what it holds is not judged.
 */
export const judgeEach = async (
  context: AssessContext,
  holding: Holding,
  messages: readonly StreamMessage[],
): Promise<void> => {
  for (const message of messages) {
    try {
      await judgeMessages(context, holding, [message])
    } catch (error) {
      if (!isOfTheData(error)) throw error
      await putAside(context, message, error)
    }
  }
}

const putAside = async (
  { sql, metrics, decode, retry, log, now }: AssessContext,
  message: StreamMessage,
  error: unknown,
): Promise<void> => {
  const { partition, sequence, data } = message
  log.error({ err: error, partition, sequence }, 'a message cannot be judged and is put aside')
  metrics.poison.inc()
  const reason = `it cannot be judged: ${String(error)}`
  const part = { owner: ownerOf(decode(message)), reason, payload: data }
  await retry(() => recordPoison(sql, toPoison(message, part, now())))
}

/** Loads what these readings need and Postgres may have; what is missing there was deleted. */
const loadUnknown = async (
  { sql, book, retry }: AssessContext,
  holding: Holding,
  readings: readonly Reading[],
): Promise<void> => {
  const unknown = new Set(readings.map((reading) => reading.checkId).filter((id) => !book.has(id)))
  if (unknown.size === 0) return
  const found = await retry(() => findStatesOfChecks(sql, [...unknown]))
  if (holding.signal.aborted) return
  for (const check of found) book.load(check, holding.lease)
}
