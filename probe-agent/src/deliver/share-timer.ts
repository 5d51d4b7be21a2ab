import type { SetTimer } from '../schedule/set-timer.ts'

/**
 * Shares one timer among callbacks that may run early: a callback added while it runs fires with
 * the earlier ones. What partitions publish in one turn of the event loop is then one packet and
 * one wake-up of each process.
 * @param setTimer called with the same delay each time
 */
export const shareTimer = (setTimer: SetTimer): SetTimer => {
  let waiting: Set<() => void> | null = null
  return (delayMs, callback) => {
    if (waiting === null) {
      const callbacks = new Set<() => void>()
      waiting = callbacks
      setTimer(delayMs, () => {
        waiting = null
        for (const callback of callbacks) callback()
      })
    }
    const joined = waiting
    // two callers may pass the same function
    const call = (): void => callback()
    joined.add(call)
    return () => void joined.delete(call)
  }
}
