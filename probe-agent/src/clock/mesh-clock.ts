import { runLoop } from '@probe-mesh/runtime/loop'
import type { Logger } from '@probe-mesh/bus/logger'
import { pause } from '@probe-mesh/runtime/pause'
import type { Clock, ClockSample } from '@probe-mesh/bus/port'

/** The machine's clock is ignored from the first offset on, and used again below the second, ms. */
const offFromMs = 5_000
const rightBelowMs = 2_500
const readMs = 5_000
const logAgainMs = 60_000
/** A start waits this long for the first clock sample, ms. */
const firstReadMsMax = 3_000

/** State of the machine's clock. */
type ClockState = {
  /** Offset to the control planes' clock at the last sample; null: unknown. */
  aheadMs: number | null
  /** Mesh time minus monotonic time while the machine's clock is ignored; else null. */
  anchorMs: number | null
  /** Machine time minus monotonic time when the clock was last right; null: it never was. */
  rightMs: number | null
}

const clockUnknown: ClockState = { aheadMs: null, anchorMs: null, rightMs: null }

/**
 * Applies a sample. The machine's clock is used until it is surely wrong and the bus and a control
 * plane agree on the time.
 * @param at the machine's clock and the monotonic clock at the sample
 */
const applySample = (
  before: ClockState,
  { aheadMs, errorMs, isAgreed }: ClockSample,
  at: { wallMs: number; monotonicMs: number },
): ClockState => {
  if (!isAgreed) return before
  const least = Math.max(0, Math.abs(aheadMs) - errorMs)
  const isOff = before.anchorMs === null ? least >= offFromMs : least >= rightBelowMs
  if (!isOff) return { aheadMs, anchorMs: null, rightMs: at.wallMs - at.monotonicMs }
  const anchorMs = at.wallMs - aheadMs - at.monotonicMs
  // samples differ by their duration; slots must not move with it
  const isSame = before.anchorMs !== null && Math.abs(anchorMs - before.anchorMs) <= errorMs + 500
  return { ...before, aheadMs, anchorMs: isSame ? before.anchorMs : anchorMs }
}

/**
 * The agent's time. A clock that was right and is set back is ignored until the next sample, so
 * that no slot runs twice. A clock set forward is used, since a machine that slept does the same.
 */
const timeOf = (
  { anchorMs, rightMs }: ClockState,
  { wallMs, monotonicMs }: { wallMs: number; monotonicMs: number },
): number => {
  // readings hold whole milliseconds, and the monotonic clock has fractions
  if (anchorMs !== null) return Math.round(monotonicMs + anchorMs)
  const wasPutBack = rightMs !== null && wallMs - monotonicMs < rightMs - rightBelowMs
  return wasPutBack ? Math.round(monotonicMs + rightMs) : wallMs
}

/** The agent's clock: the machine's, or the control planes' while the machine's is wrong. */
type MeshClock = {
  /** Unix ms */
  now(): number
  addSample(sample: ClockSample): void
  /** Seconds ahead of the control planes; 0 while unknown. */
  aheadSeconds(): number
  /** The problem of the machine's clock; null: none known. */
  problem(): string | null
}

export const createMeshClock = (
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): MeshClock => {
  let state = clockUnknown
  return {
    now: () => timeOf(state, { wallMs: wall(), monotonicMs: monotonic() }),
    addSample: (sample) => {
      state = applySample(state, sample, { wallMs: wall(), monotonicMs: monotonic() })
    },
    aheadSeconds: () => Math.round(state.aheadMs ?? 0) / 1_000,
    problem: () => {
      const { aheadMs, anchorMs } = state
      if (aheadMs === null || anchorMs === null) return null
      const seconds = Math.round(Math.abs(aheadMs) / 1_000)
      const side = aheadMs > 0 ? 'ahead of' : 'behind'
      return `the clock of this machine is ${seconds} s ${side} the control planes; the agent uses their time. Run an NTP client here (chrony, systemd-timesyncd)`
    },
  }
}

/**
 * Reads the clock at the start and then periodically, and logs a problem once a minute (S-2812).
 */
export const keepMeshClock = (capabilities: {
  clock: MeshClock
  bus: { clock: Pick<Clock, 'read'> }
  region: string
  agent: string
  log: Logger
}): { first: Promise<void>; close(): Promise<void> } => {
  const { clock, bus, region, agent, log } = capabilities
  const closing = new AbortController()
  let loggedAtMs = Number.NEGATIVE_INFINITY
  const readClock = async (): Promise<void> => {
    const sample = await bus.clock.read(region, agent, Date.now).catch(() => null)
    if (sample === null) return
    const was = clock.problem()
    clock.addSample(sample)
    const problem = clock.problem()
    if (problem !== null && performance.now() - loggedAtMs >= logAgainMs) {
      loggedAtMs = performance.now()
      log.error({ region, agent, aheadMs: Math.round(sample.aheadMs) }, problem)
    }
    if (problem === null && was !== null) {
      loggedAtMs = Number.NEGATIVE_INFINITY
      log.info({ region, agent }, 'the clock of this machine is correct again')
    }
  }
  const first = readClock()
  const keeping = first.then(() =>
    runLoop({
      signal: closing.signal,
      round: readClock,
      everyMs: readMs,
      firstMs: readMs,
      onError: (error) => {
        throw error
      },
    }),
  )
  return {
    first: Promise.race([first, pause(firstReadMsMax, closing.signal)]),
    close: async () => {
      closing.abort()
      await Promise.race([keeping, pause(1_000, new AbortController().signal)])
    },
  }
}
