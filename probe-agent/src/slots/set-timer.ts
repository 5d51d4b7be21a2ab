/** Calls once after a delay in ms; returns how to call it off. */
export const setTimer = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
