/**
 * The clock of every part of a fleet: the machine's time plus the advances of scripts. Events are recorded in
 * the machine's own time, which has no gaps.
 */
export type Clock = {
  /** Unix milliseconds. */
  now: () => number
  /** Advances the clock: every reading becomes older at once, and the slots in between are skipped. */
  forward(ms: number): void
  /** Advances the clock by a few seconds: readings stay fresh, and a few slots are skipped. */
  step(ms: number): void
  /** The machine's time at which the clock showed an instant. A skipped instant maps to the jump. */
  machineMs(atMs: number): number
}

/** Agents make up for slots of the last minute and skip older ones. */
const forwardMsMin = 61_000
const stepMsMax = 12_000

export const createClock = (machine: () => number = Date.now): Clock => {
  const jumps: { machineMs: number; offsetMs: number }[] = [{ machineMs: 0, offsetMs: 0 }]
  const offsetMs = (): number => jumps.at(-1)?.offsetMs ?? 0
  const move = (ms: number): void => {
    jumps.push({ machineMs: machine(), offsetMs: offsetMs() + ms })
  }
  return {
    now: () => machine() + offsetMs(),
    forward: (ms) => {
      if (ms < forwardMsMin) throw new Error(`the clock must move by at least ${forwardMsMin} ms`)
      move(ms)
    },
    step: (ms) => {
      if (ms > stepMsMax) throw new Error(`a step must be at most ${stepMsMax} ms`)
      move(ms)
    },
    machineMs: (atMs) => {
      const index = jumps.findLastIndex((jump) => atMs >= jump.machineMs + jump.offsetMs)
      const { offsetMs } = jumps[index] ?? { offsetMs: 0 }
      const endMs = jumps[index + 1]?.machineMs ?? Number.POSITIVE_INFINITY
      return Math.min(atMs - offsetMs, endMs)
    },
  }
}
