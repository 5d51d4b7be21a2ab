import { pause } from '@probe-mesh/bus/pause'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { readCarefully } from '../../readings/trial/careful-reading.ts'
import type { SetAside } from '../../readings/set-aside.ts'
import type { TrialReader } from '../../readings/trial/trial-reader.ts'
import { Closing, isOfTheData } from '../../stores/retry.ts'
import type { AssessContext, Holding } from './context.ts'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { recordPoison } from '../ingest/ingest-batches-store.ts'
import { findStatesOfChecks } from '../../status/states-store.ts'
import { ownerOf, toPoison } from '../../readings/poison.ts'
import type { Confirmation } from './assessment-state.ts'

const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = 2 * 1024 * 1024
const failurePauseMs = 1_000

type FollowContext = AssessContext & {
  setAside: SetAside
  trial: TrialReader
  /** Brings the book's flips to Postgres. */
  flips: () => Promise<void>
}

/** Judges a partition's messages as they come, until it is left. */
export const followPartition = async (context: FollowContext, holding: Holding): Promise<void> => {
  const { flips, log } = context
  const { consumer, signal, lease } = holding
  const look = readCarefully({ ...context, lease, kind: 'readings' })
  while (!signal.aborted) {
    try {
      const messages = await consumer.fetch({
        messagesMax: fetchMessagesMax,
        bytesMax: fetchBytesMax,
        waitMs: holding.caughtUp ? fetchWaitMs : 0,
        signal,
      })
      const last = messages.at(-1)
      if (last === undefined) {
        holding.caughtUp = true
        continue
      }
      await look(messages)
      await judge(context, holding, messages)
      if (signal.aborted) return
      await flips()
      holding.processed = last.sequence
    } catch (error) {
      if (error instanceof Closing) return
      log.error({ err: error }, 'assess cannot follow; trying again')
      await pause(failurePauseMs, signal)
    }
  }
}

/** What one message holds costs its neighbours nothing. */
const judge = async (
  context: AssessContext,
  holding: Holding,
  messages: readonly StreamMessage[],
): Promise<void> => {
  try {
    await judgeMessages(context, holding, messages)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    await judgeEach(context, holding, messages)
  }
}

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
const judgeEach = async (
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
