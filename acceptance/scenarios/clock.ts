/**
 * One time for every part of a fleet: the machine's, and what scripts have put it forward by. What
 * happened is kept in the machine's own time, in which nothing is passed over.
 */
export type Clock = {
  /** Unix milliseconds. */
  now: () => number
  /** Puts the clock forward: every reading is older at once, and the slots in between never were. */
  forward(ms: number): void
  /** The same by a few seconds: what is measured stays fresh, and a few slots are not measured. */
  step(ms: number): void
  /** When, in the machine's time, the clock showed an instant; of a time passed over, the jump. */
  machineMs(atMs: number): number
}

/** Agents make up for slots of the last minute, and pass over what is older. */
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
      if (ms < forwardMsMin) throw new Error(`the clock moves by ${forwardMsMin} ms at least`)
      move(ms)
    },
    step: (ms) => {
      if (ms > stepMsMax) throw new Error(`a step is ${stepMsMax} ms at most`)
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
