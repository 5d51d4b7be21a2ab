import { runLoop } from '@probe-mesh/runtime/loop'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { readCarefully, type TrialReader } from '../../readings/trial/trial-reader.ts'
import { ownerOf, toPoison, type SetAside } from '../../readings/poison.ts'
import { faultsOf } from '../../stores/faults.ts'
import { isOfTheData, untilClosing } from '../../stores/retry.ts'
import type { AssessContext, Holding } from './context.ts'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { recordPoison } from '../ingest/ingest-batches-store.ts'
import { findStatesOfChecks } from '../../status/states-store.ts'
import type { Confirmation } from './assessment-state.ts'

const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = 2 * 1024 * 1024
const failurePauseMs = 1_000

type FollowContext = AssessContext & {
  setAside: SetAside
  trial: TrialReader
  /** Writes the pending flips to Postgres. */
  flips: () => Promise<void>
}

/** Judges a partition's messages as they arrive, until the partition is left. */
export const followPartition = async (context: FollowContext, holding: Holding): Promise<void> => {
  const { flips, log } = context
  const { consumer, signal, lease } = holding
  const look = readCarefully({ ...context, lease, kind: 'readings' })
  const faults = faultsOf(log)
  const work = { what: 'readings cannot be read to judge them', store: 'nats' } as const
  await runLoop({
    signal,
    round: untilClosing(async () => {
      const messages = await consumer.fetch({
        messagesMax: fetchMessagesMax,
        bytesMax: fetchBytesMax,
        waitMs: holding.caughtUp ? fetchWaitMs : 0,
        signal,
      })
      faults.worked(work)
      const last = messages.at(-1)
      if (last === undefined) {
        holding.caughtUp = true
        return 'again'
      }
      await look(messages)
      await judge(context, holding, messages)
      if (signal.aborted) return 'end'
      await flips()
      holding.processed = last.sequence
      return 'again'
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
  const readings = messages.flatMap((message) => context.decode(message).readings)
  await loadUnknown(context, holding, readings)
  // the partition was left: its checks may already be judged here under another lease
  if (holding.signal.aborted) return
  const confirmations = new Map<string, Confirmation>()
  // a backlog mixes the messages of all regions: judge it in the order of measurement
  for (const reading of readings.toSorted((a, b) => a.measuredAt - b.measuredAt)) {
    watch.note(reading)
    const confirmation = assessmentState.observe(reading)
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
