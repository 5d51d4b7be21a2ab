import { pause } from '@probe-mesh/runtime/pause'
import type { Logger } from '@probe-mesh/bus/logger'
import { BusUnavailable, type Bus, type Subscription } from '@probe-mesh/bus/port'
import { backoffMs, refusedBackoffMs } from './backoff.ts'

/**
 * Subscribes, and retries with full jitter until the bus accepts, at once after a reconnect. An
 * agent may so start without the bus. Closing ends the subscription or the retries.
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
        options.log.warn({ err: error, what: options.what }, 'subscription failed; retrying')
        // a missing permission stays missing until an operator grants it
        const waitMs = isUnavailable(error)
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

const isUnavailable = (error: unknown): boolean => error instanceof BusUnavailable
