/** Calls once after a delay in ms; returns how to call it off. */
export type SetTimer = (delayMs: number, callback: () => void) => () => void

export const setTimer: SetTimer = (delayMs, callback) => {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
