import type { Logger } from '@probe-mesh/bus/logger'
import type { Subscription } from '@probe-mesh/bus/port'
import { backoffMs } from './backoff.ts'
import { pause } from './pause.ts'

/**
 * Subscribes, trying again with full jitter until the bus takes it, so that an agent may start
 * while the bus is away. Closing it ends the subscription, or the tries.
 */
export const keepSubscribed = (
  subscribe: () => Promise<Subscription>,
  options: { what: string; random: () => number; log: Logger },
): Subscription => {
  const closing = new AbortController()
  let current: Subscription | null = null
  const keepTrying = async () => {
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      try {
        const subscription = await subscribe()
        if (closing.signal.aborted) await subscription.close()
        else current = subscription
        return
      } catch (error) {
        options.log.warn({ err: error, what: options.what }, 'not subscribed yet, trying again')
        await pause(backoffMs(attempt, options.random()), closing.signal)
      }
    }
  }
  void keepTrying()
  return {
    close: async () => {
      closing.abort()
      await current?.close()
    },
  }
}
