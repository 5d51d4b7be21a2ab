import { pause } from '@probe-mesh/runtime/pause'
import type { Logger } from '@probe-mesh/bus/logger'
import type { Bus, Subscription } from '@probe-mesh/bus/port'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { backoffMs, refusedBackoffMs } from './backoff.ts'

/**
 * Subscribes, trying again with full jitter until the bus takes it, and at once when the bus is
 * back, so that an agent may start while it is away. Closing it ends the subscription, or the tries.
 */
export const keepSubscribed = (
  subscribe: () => Promise<Subscription>,
  options: { what: string; random: () => number; log: Logger; onReturn: Bus['onReturn'] },
): Subscription => {
  const closing = new AbortController()
  let waiting = new AbortController()
  let current: Subscription | null = null
  const returns = options.onReturn(() => waiting.abort())
  const keepTrying = async () => {
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      const { signal } = (waiting = new AbortController())
      try {
        const subscription = await subscribe()
        if (closing.signal.aborted) await subscription.close()
        else current = subscription
        await returns.close()
        return
      } catch (error) {
        options.log.warn({ err: error, what: options.what }, 'not subscribed yet, trying again')
        // what is not allowed stays so until somebody changes it
        const waitMs = isAway(error)
          ? backoffMs(attempt, options.random())
          : refusedBackoffMs(attempt, options.random())
        await pause(waitMs, signal)
      }
    }
  }
  void keepTrying()
  return {
    close: async () => {
      closing.abort()
      waiting.abort()
      await returns.close()
      await current?.close()
    },
  }
}

const isAway = (error: unknown): boolean => error instanceof BusUnavailable
