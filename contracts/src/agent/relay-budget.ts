import type { CheckType } from '../check/check.ts'
import { limits } from '../schema/limits.ts'

/** Readings, and the bytes of the messages that hold them. */
export type RelayAmount = { readings: number; bytes: number }

/** What a private agent may send: its budget refills at a pace, up to a most. */
export type RelayBudget = { perMinute: RelayAmount; most: RelayAmount }

const kilobyte = 1024

/** What a reading of a type may weigh, with its place in a message. */
const readingBytes: Readonly<Record<CheckType, number>> = {
  http: 2 * kilobyte,
  tcp: 2 * kilobyte,
  dns: 8 * kilobyte,
  smtp: 4 * kilobyte,
  // its waterfall
  multistep: 32 * kilobyte,
  // a picture
  browser: limits.screenshotCharactersMax + 8 * kilobyte,
  // measured by nobody
  heartbeat: 0,
}

export const relayBudgetBounds = {
  /** How much faster than it measures an agent may send, so that what its spool kept drains. */
  catchUp: 10,
  /** For so long it may have been cut off and send all at once, minutes. */
  burstMinutes: 60,
  /** Of an agent with few checks or none: a message always fits, and the answers to runs. */
  least: {
    perMinute: { readings: 20, bytes: 64 * kilobyte },
    most: { readings: 2 * limits.readingsPerMessageMax, bytes: 1024 * kilobyte },
  },
  /** Runs asked of one agent that its readings may name. */
  openRunsMax: 10_000,
} as const

/** The budget by what an agent's checks may produce. */
export const relayBudgetOf = (
  pace: readonly { type: CheckType; runsPerMinute: number }[],
): RelayBudget => {
  const { catchUp, burstMinutes, least } = relayBudgetBounds
  const readings = pace.reduce((sum, { runsPerMinute }) => sum + runsPerMinute, 0)
  const bytes = pace.reduce((sum, one) => sum + one.runsPerMinute * readingBytes[one.type], 0)
  const atLeast = (by: number, { readings: fewest, bytes: leastBytes }: RelayAmount) => ({
    readings: Math.max(fewest, by * readings),
    bytes: Math.max(leastBytes, by * bytes),
  })
  return {
    perMinute: atLeast(catchUp, least.perMinute),
    most: atLeast(burstMinutes, least.most),
  }
}

/** How long until a budget that holds `left` has what a message costs, seconds from 1 up. */
export const relayWaitSeconds = (
  { perMinute }: RelayBudget,
  left: RelayAmount,
  cost: RelayAmount,
): number => {
  const minutes = Math.max(
    (cost.readings - left.readings) / perMinute.readings,
    (cost.bytes - left.bytes) / perMinute.bytes,
  )
  return Math.max(1, Math.ceil(minutes * 60))
}
