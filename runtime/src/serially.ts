/** Runs `act` once at a time. A call during a run waits and then gets its own run. */
export const serially = (act: () => Promise<void>): (() => Promise<void>) => {
  let tail: Promise<void> = Promise.resolve()
  return () => {
    const run = tail.then(act)
    tail = run.catch(() => {})
    return run
  }
}
