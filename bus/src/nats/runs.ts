import { errors } from '@nats-io/nats-core'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import { toRunReply } from '../foreign-values.ts'
import { BusUnavailable, type Runs } from '../port.ts'
import { decodeBytes, encodeText, valueIn } from '../wire.ts'
import type { Link } from './link.ts'
import { subscribe } from './subscribe.ts'

const requestsInFlightMax = 10_000
/** Each request goes to one agent of a region. */
export const runQueue = 'agents'

const isNobodyThere = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders())

/** Request and reply in the queue group of a region's agents. */
export const createRuns = (link: Link): Runs => {
  let inFlight = 0
  return {
    serve: (region, handler) =>
      link.attempt(() =>
        subscribe(link, subjects.run(region), runQueue, (message) => {
          const answer = async () => {
            message.respond(encodeText(await handler(decodeBytes<RunRequest>(message.data))))
          }
          answer().catch((error: unknown) => {
            link.log.error({ err: error }, 'a handler of runs threw')
          })
        }),
      ),
    request: (region, request, timeoutMs) =>
      link.attempt(async () => {
        if (inFlight >= requestsInFlightMax) throw new BusUnavailable('too many run requests in flight')
        inFlight++
        try {
          const text = encodeText(request)
          const reply = await link.nc.request(subjects.run(region), text, { timeout: timeoutMs })
          return toRunReply(valueIn(reply.data))
        } catch (error) {
          if (isNobodyThere(error)) return 'no_agent'
          if (error instanceof errors.TimeoutError) return 'timeout'
          throw error
        } finally {
          inFlight--
        }
      }),
  }
}
