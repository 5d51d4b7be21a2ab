const deadlineReached = new DOMException('the attempt timed out', 'TimeoutError')

/**
 * One signal per attempt: aborted with a `TimeoutError` at the deadline, or with the outer signal's
 * reason. Clear it when the attempt ends.
 */
export const startDeadline = (ms: number, outer: AbortSignal): { signal: AbortSignal; clear(): void } => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(deadlineReached), ms)
  const onStop = (): void => controller.abort(outer.reason)
  if (outer.aborted) onStop()
  outer.addEventListener('abort', onStop, { once: true })
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      outer.removeEventListener('abort', onStop)
    },
  }
}
