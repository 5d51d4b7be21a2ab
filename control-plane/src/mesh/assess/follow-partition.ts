import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { runLoop } from '@probe-mesh/runtime/loop'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { readCarefully, type FirstReader } from '../../readings/first-read/first-reader.ts'
import { ownerOf, toPoison, type SetAside } from '../../readings/poison.ts'
import { faultsOf } from '../../stores/faults.ts'
import { isOfTheData, untilClosing } from '../../stores/retry.ts'
import { isSettled, type AssessContext, type Holding } from './context.ts'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { recordPoison } from '../../readings/poison-store.ts'
import { findStatesOfChecks } from '../../status/states-store.ts'
import type { Confirmation } from './assessment-state.ts'

const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = 2 * 1024 * 1024
/** A backlog is judged in parts of this size, bytes. */
const backlogBytesMax = 4 * 1024 * 1024
/** Decoded without a pause, so that nothing else in the process waits long. */
const messagesPerTurn = 50
const failurePauseMs = 1_000

export type FollowContext = AssessContext & {
  setAside: SetAside
  firstReader: FirstReader
  /** Writes the pending flips to Postgres. */
  flips: () => Promise<void>
}

/**
 * Judges a partition's messages as they arrive, until the partition is left. The backlog comes first, as one part if
 * it fits: what began and ended in it is recorded at once.
 */
export const followPartition = async (context: FollowContext, holding: Holding): Promise<void> => {
  const { flips, log } = context
  const { consumer, signal, lease } = holding
  const look = readCarefully({ ...context, lease, kind: 'readings' })
  const bounds = { messagesMax: fetchMessagesMax, bytesMax: fetchBytesMax, signal }
  const judgeAll = async (messages: readonly StreamMessage[]): Promise<void> => {
    const last = messages.at(-1)
    if (last === undefined) return
    holding.judgedAtMs = last.storedAt
    // what was judged before was in a stream that is gone
    if ((messages[0]?.sequence ?? 0) <= (holding.processed ?? 0)) holding.processed = null
    await judge(context, holding, messages)
    if (signal.aborted) return
    await flips()
    holding.processed = last.sequence
    const { messages: count = 0, bytes = 0 } = holding.judged ?? {}
    holding.judged = {
      messages: count + messages.length,
      bytes: messages.reduce((sum, { data }) => sum + data.length, bytes),
    }
  }
  const faults = faultsOf(log)
  const work = { what: 'readings cannot be read to judge them', store: 'nats' } as const
  const fetch = async (waitMs: number): Promise<StreamMessage[]> => {
    const messages = await consumer.fetch({ ...bounds, waitMs })
    faults.worked(work)
    if (messages.length > 0) await look(messages)
    return messages
  }
  let part: StreamMessage[] = []
  let partBytes = 0
  const catchUp = async (): Promise<void> => {
    const messages = await fetch(0)
    // kept if the next fetch fails: the consumer does not deliver them again
    part.push(...messages)
    partBytes += messages.reduce((sum, { data }) => sum + data.length, 0)
    const isWhole = messages.length === 0
    if (!isWhole && partBytes < backlogBytesMax) return
    await judgeAll(part)
    if (signal.aborted) return
    part = []
    partBytes = 0
    holding.caughtUp = isWhole
  }
  await runLoop({
    signal,
    round: untilClosing(async () => {
      if (holding.caughtUp) await judgeAll(await fetch(fetchWaitMs))
      else await catchUp()
      return signal.aborted ? 'end' : 'again'
    }),
    everyMs: failurePauseMs,
    onError: (error) => faults.failed(work, error),
  }).finally(() => faults.worked(work))
}

/** If the data of one message cannot be judged, the others still are. */
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
 * Judges readings, and requests confirmations from the other regions after a first failure. Readings of a
 * partition that was left in the meantime are ignored.
 */
export const judgeMessages = async (
  context: AssessContext,
  holding: Holding,
  messages: readonly StreamMessage[],
): Promise<void> => {
  const { assessmentState, watch, confirmer, metrics } = context
  const { judgedUntilMs = 0 } = holding
  const readings: Reading[] = []
  /** When they arrived, of those that an earlier owner judged then. */
  const arrivedAtMs = new Map<Reading, number>()
  for (const [at, message] of messages.entries()) {
    if (at > 0 && at % messagesPerTurn === 0) await yieldToLoop()
    const decoded = context.decode(message).readings
    readings.push(...decoded)
    if (message.storedAt > judgedUntilMs) continue
    for (const reading of decoded) arrivedAtMs.set(reading, message.storedAt)
  }
  await loadUnknown(context, holding, readings)
  // the partition was left: its checks may already be judged here under another lease
  if (holding.signal.aborted) return
  const confirmations = new Map<string, Confirmation>()
  const nowMs = context.now()
  const servingSinceMs = context.servingSinceMs?.()
  // a backlog mixes the messages of all regions: judge it in the order of measurement
  for (const reading of readings.toSorted((a, b) => a.measuredAt - b.measuredAt)) {
    watch.note(reading)
    const confirmation = assessmentState.observe(
      reading,
      (check) => isSettled(holding, check, nowMs, servingSinceMs),
      arrivedAtMs.get(reading),
    )
    if (confirmation !== null) confirmations.set(reading.checkId, joined(confirmations, confirmation))
  }
  for (const confirmation of confirmations.values()) confirmer.confirm(confirmation)
  context.onReadings?.(readings)
  context.certificates?.note(readings)
  context.providers?.note(readings)
  metrics.readings.inc(readings.length)
}

/** If several readings of a check need confirmation, each region gets one request, after all of them. */
const joined = (
  confirmations: ReadonlyMap<string, Confirmation>,
  confirmation: Confirmation,
): Confirmation => {
  const before = confirmations.get(confirmation.checkId)?.regions ?? []
  return { ...confirmation, regions: [...new Set([...before, ...confirmation.regions])] }
}

/**
 * Judges one message at a time after judging them together failed on the data of one. That message is set
 * aside, and its readings are not judged.
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
      await setMessageAside(context, message, error)
    }
  }
}

const setMessageAside = async (
  { sql, metrics, decode, retry, log, now }: AssessContext,
  message: StreamMessage,
  error: unknown,
): Promise<void> => {
  const { partition, sequence, data } = message
  log.error({ err: error, partition, sequence }, 'a message cannot be judged and is set aside')
  metrics.poison.inc()
  const reason = `it cannot be judged: ${String(error)}`
  const part = { owner: ownerOf(decode(message)), reason, payload: data }
  await retry(() => recordPoison(sql, toPoison(message, part, now())))
}

/** Loads the checks of these readings that are not in memory. A check that is not in Postgres was deleted. */
const loadUnknown = async (
  { sql, assessmentState, retry }: AssessContext,
  holding: Holding,
  readings: readonly Reading[],
): Promise<void> => {
  const unknown = new Set(readings.map((reading) => reading.checkId).filter((id) => !assessmentState.has(id)))
  if (unknown.size === 0) return
  const found = await retry(() => findStatesOfChecks(sql, [...unknown]))
  if (holding.signal.aborted) return
  for (const check of found) assessmentState.load(check, holding.lease)
}
