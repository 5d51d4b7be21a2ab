import { subjects } from '@probe-mesh/contracts/subjects'
import type { Events } from '../port.ts'
import type { Link } from './link.ts'
import { decodeBytes, encodeText } from './wire.ts'

/** Core messages: while NATS is away nothing is kept for later. */
export const createEvents = (link: Link): Events => ({
  publish: (kind, payload) => {
    if (!link.isUp()) return
    link.nc.publish(subjects.events(kind), encodeText(payload))
  },
  subscribe: (kind, handler) =>
    link.attempt(async () => {
      let closed = false
      const subscription = link.nc.subscribe(subjects.events(kind), {
        callback: (error, message) => {
          if (error !== null || closed) return
          try {
            handler(decodeBytes<unknown>(message.data))
          } catch (failure) {
            link.log.error({ err: failure }, 'a handler on the bus threw')
          }
        },
      })
      await link.nc.flush()
      return {
        close: async () => {
          closed = true
          subscription.unsubscribe()
        },
      }
    }),
})
