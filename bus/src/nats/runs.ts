import { errors } from '@nats-io/nats-core'
import type { Msg } from '@nats-io/nats-core'
import type { RunRequest } from '@probe-mesh/contracts/assignment'
import { subjects } from '@probe-mesh/contracts/subjects'
import { BusUnavailable, type RunReply, type Runs } from '../port.ts'
import type { Link } from './link.ts'
import { decodeBytes, encodeText } from './wire.ts'

export const requestsInFlightMax = 10_000
const queue = 'agents'

const isNobodyThere = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders())

/** Request and reply in the queue group of a region's agents. */
export const createRuns = (link: Link): Runs => {
  let inFlight = 0
  return {
    serve: (region, handler) =>
      link.attempt(async () => {
        let closed = false
        const answer = async (message: Msg) => {
          try {
            message.respond(encodeText(await handler(decodeBytes<RunRequest>(message.data))))
          } catch (error) {
            link.log.error({ err: error }, 'a handler of runs threw')
          }
        }
        const subscription = link.nc.subscribe(subjects.run(region), {
          queue,
          callback: (error, message) => {
            if (error === null && !closed) void answer(message)
          },
        })
        await link.nc.flush()
        return {
          close: async () => {
            closed = true
            subscription.unsubscribe()
            // The server must know before this resolves, or it would go on choosing this agent.
            if (link.isUp()) await link.nc.flush().catch(() => undefined)
          },
        }
      }),
    request: (region, request, timeoutMs) =>
      link.attempt(async () => {
        if (inFlight >= requestsInFlightMax) throw new BusUnavailable('too many runs asked for')
        inFlight++
        try {
          const text = encodeText(request)
          const reply = await link.nc.request(subjects.run(region), text, { timeout: timeoutMs })
          return decodeBytes<RunReply>(reply.data)
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
