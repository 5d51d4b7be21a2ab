import { FacadeException } from './exception.ts'

/** Runs up to `runningMax` statements at once and queues up to `waitingMax` more, in order. */
export type Admission = {
  /**
   * Resolves with the function that releases the place.
   * @throws FacadeException 202 when the queue is full
   */
  enter(): Promise<() => void>
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>
}

export const createAdmission = (bounds: { runningMax: number; waitingMax: number }): Admission => {
  const waiting: (() => void)[] = []
  const onIdle: (() => void)[] = []
  let running = 0

  const leave = () => {
    const next = waiting.shift()
    if (next !== undefined) return next()
    running -= 1
    if (running === 0) for (const resolve of onIdle.splice(0)) resolve()
  }
  const once = (release: () => void) => {
    let released = false
    return () => {
      if (!released) release()
      released = true
    }
  }
  return {
    enter: async () => {
      if (running < bounds.runningMax) {
        running += 1
        return once(leave)
      }
      if (waiting.length >= bounds.waitingMax) {
        throw new FacadeException(
          202,
          'TOO_MANY_SIMULTANEOUS_QUERIES',
          `Too many simultaneous queries. ${running} run and ${waiting.length} wait`,
        )
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
      return once(leave)
    },
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => onIdle.push(resolve))
    },
  }
}
