const sampleMs = 20

/**
 * How busy this thread's event loop is.
 * @param useMin the share of the latest 20 ms or more from which on it counts as busy
 * @returns whether it is busy now; cheap enough for each request
 */
export const createLoopUse = (useMin = 0.5): (() => boolean) => {
  let [last, isBusy] = [performance.eventLoopUtilization(), false]
  return () => {
    const { idle, active } = performance.eventLoopUtilization(last)
    // a loop that has not begun yet has no figures
    if (idle + active < sampleMs) return isBusy
    isBusy = active / (idle + active) > useMin
    last = performance.eventLoopUtilization()
    return isBusy
  }
}
