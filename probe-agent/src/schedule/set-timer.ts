/** Calls once after a delay in ms; returns a function that cancels it. */
export type SetTimer = (delayMs: number, callback: () => void) => () => void

export const setTimer: SetTimer = (delayMs, callback) => {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
