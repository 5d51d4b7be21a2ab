import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Events } from '../port.ts'
import type { Link } from './link.ts'
import { subscribe } from './subscribe.ts'
import { decodeBytes, encodeText } from './wire.ts'

/** Core messages: while NATS is away nothing is kept for later. */
export const createEvents = (link: Link): Events => ({
  publish: (kind, payload) => {
    if (!link.isUp()) return
    link.nc.publish(subjects.events(kind), encodeText(payload))
  },
  subscribe: (kind, handler) =>
    link.attempt(() =>
      subscribe(link, subjects.events(kind), null, (message) => {
        try {
          handler(decodeBytes<unknown>(message.data))
        } catch (error) {
          link.log.error({ err: error }, 'a handler on the bus threw')
        }
      }),
    ),
})
