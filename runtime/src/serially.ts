/** One run at a time; a call that comes during a run waits for a whole run of its own. */
export const serially = (act: () => Promise<void>): (() => Promise<void>) => {
  let tail: Promise<void> = Promise.resolve()
  return () => {
    const run = tail.then(act)
    tail = run.catch(() => {})
    return run
  }
}
