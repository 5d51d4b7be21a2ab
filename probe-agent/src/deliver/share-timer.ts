import type { SetTimer } from '../schedule/set-timer.ts'

/**
 * One timer for many who may be called early: who comes while it runs is called with those who came
 * before. What partitions publish in one turn of the loop is one packet, and one wake-up of each
 * process that it passes, where each by itself costs more than what is done in it.
 * @param setTimer called with the same delay each time
 */
export const shareTimer = (setTimer: SetTimer): SetTimer => {
  let waiting: Set<() => void> | null = null
  return (delayMs, callback) => {
    if (waiting === null) {
      const those = new Set<() => void>()
      waiting = those
      setTimer(delayMs, () => {
        waiting = null
        for (const each of those) each()
      })
    }
    const joined = waiting
    // two may ask with the same function
    const call = (): void => callback()
    joined.add(call)
    return () => void joined.delete(call)
  }
}
