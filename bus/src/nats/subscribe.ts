import type { Msg } from '@nats-io/nats-core'
import { BusUnavailable, type Subscription } from '../port.ts'
import { requestMsMax, type Link } from './link.ts'

/**
 * Subscribes, and resolves when the server has the subscription: later messages arrive. Closing resolves when
 * the server has removed it and no longer chooses this queue member, or after `requestMsMax`.
 * @throws PermissionViolationError when the credentials do not allow it, BusUnavailable when NATS is
 * unavailable
 */
export const subscribe = async (
  link: Link,
  subject: string,
  queue: string | null,
  onMessage: (message: Msg) => void,
): Promise<Subscription> => {
  let closed = false
  let refused: Error | null = null
  const subscription = link.nc.subscribe(subject, {
    ...(queue === null ? {} : { queue }),
    callback: (error, message) => {
      if (error === null) {
        if (!closed) onMessage(message)
        return
      }
      // At once, or when it is repeated after a reconnect.
      refused = error
      link.log.error({ err: error, subject }, 'a subscription was refused')
    },
  })
  try {
    // The server answers in order: a refusal arrives before this ends.
    await link.attempt(() => flush(link))
  } catch (error) {
    closed = true
    subscription.unsubscribe()
    throw error
  }
  if (refused !== null) throw refused
  return {
    close: async () => {
      closed = true
      subscription.unsubscribe()
      if (link.isUp()) await link.attempt(() => flush(link)).catch(() => undefined)
    },
  }
}

/**
 * Resolves when the server has what was sent before. The client itself waits as long as the connection lasts.
 * @throws BusUnavailable after `requestMsMax`
 */
export const flush = async (link: Link): Promise<void> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new BusUnavailable('nats does not answer'))
  const timer = setTimeout(giveUp, requestMsMax)
  try {
    await Promise.race([link.nc.flush(), late])
  } finally {
    clearTimeout(timer)
  }
}
