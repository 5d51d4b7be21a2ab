import type { CheckType } from '../check/check.ts'
import { typesWithSettings } from '../check/types-with-settings.ts'
import { limits } from '../schema/limits.ts'

/** A number of readings and the bytes of their messages. */
export type RelayAmount = { readings: number; bytes: number }

/** The budget of a private agent. It refills at `perMinute`, up to `most`. */
export type RelayBudget = { perMinute: RelayAmount; most: RelayAmount }

const kilobyte = 1024

/** The largest size of a reading in a message, by type of check. Agents do not measure heartbeats. */
const readingBytesOf = (type: CheckType): number => {
  if (type === 'http') return 2 * kilobyte
  // includes a waterfall
  if (type === 'multistep') return 32 * kilobyte
  return type === 'heartbeat' ? 0 : typesWithSettings[type].readingBytesMax
}

export const relayBudgetBounds = {
  /** An agent may send faster than it measures by this factor, so that its spool drains. */
  catchUp: 10,
  /** An agent may send the readings of an outage of this length at once, minutes. */
  burstMinutes: 60,
  /** The minimum budget. A message and the replies to runs always fit. */
  least: {
    perMinute: { readings: 20, bytes: 64 * kilobyte },
    most: { readings: 2 * limits.readingsPerMessageMax, bytes: 1024 * kilobyte },
  },
  /** Open run requests of one agent. */
  openRunsMax: 10_000,
} as const

/** The budget of an agent, by the expected output of its checks. */
export const relayBudgetOf = (pace: readonly { type: CheckType; runsPerMinute: number }[]): RelayBudget => {
  const { catchUp, burstMinutes, least } = relayBudgetBounds
  const readings = pace.reduce((sum, { runsPerMinute }) => sum + runsPerMinute, 0)
  const bytes = pace.reduce((sum, one) => sum + one.runsPerMinute * readingBytesOf(one.type), 0)
  const atLeast = (by: number, { readings: fewest, bytes: leastBytes }: RelayAmount) => ({
    readings: Math.max(fewest, by * readings),
    bytes: Math.max(leastBytes, by * bytes),
  })
  return {
    perMinute: atLeast(catchUp, least.perMinute),
    most: atLeast(burstMinutes, least.most),
  }
}

/** Seconds until a budget with `left` can pay for a message; at least 1. */
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
