import type { StreamMessage } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading'
import { findStatesOfChecks } from '../postgres/states.ts'
import type { AssessContext } from './context.ts'
import type { Holding } from './holding.ts'

/**
 * Takes readings into the book, and asks the other regions where one of them fails first.
 * @returns false when the partition was left before anything was taken
 */
export const judgeMessages = async (
  context: AssessContext,
  holding: Holding,
  messages: readonly StreamMessage[],
): Promise<boolean> => {
  const { book, watch, confirmer, metrics } = context
  const readings = messages.flatMap((message) => context.decode(message).readings)
  await loadUnknown(context, holding, readings)
  // left meanwhile: its checks may be judged here under another lease already
  if (holding.signal.aborted) return false
  for (const reading of readings) {
    watch.take(reading)
    const confirmation = book.observe(reading)
    if (confirmation !== null) confirmer.ask(confirmation)
  }
  context.onReadings?.(readings)
  metrics.readings.inc(readings.length)
  return true
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
