import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Logger } from '../logger.ts'
import { BusUnavailable, type RunReply, type Runs } from '../port.ts'
import { decodeText, encodeText } from '../wire.ts'

const requestsInFlightMax = 10_000

type Handler = (request: RunRequest) => Promise<RunReply>
type Member = { handler: Handler }

const oneOf = (members: ReadonlySet<Member> | undefined): Member | undefined =>
  [...(members ?? [])].at(Math.floor(Math.random() * (members?.size ?? 0)))

/** Request and reply; a handler that throws sends no reply, and the request times out. */
export const createRuns = (log: Logger): Runs & { close(): void } => {
  const serving = new Map<Region, Set<Member>>()
  const inFlight = new Set<() => void>()

  const answer = async ({ handler }: Member, text: string): Promise<RunReply | null> => {
    try {
      return decodeText<RunReply>(encodeText(await handler(decodeText<RunRequest>(text))))
    } catch (error) {
      log.error({ err: error }, 'a handler of runs threw')
      return null
    }
  }

  return {
    serve: async (region, handler) => {
      const member = { handler }
      const members = serving.get(region) ?? new Set()
      serving.set(region, members.add(member))
      return {
        close: async () => {
          members.delete(member)
        },
      }
    },
    request: async (region, request, timeoutMs) => {
      const member = oneOf(serving.get(region))
      if (member === undefined) return 'no_agent'
      if (inFlight.size >= requestsInFlightMax) throw new BusUnavailable('too many run requests in flight')
      const text = encodeText(request)
      return new Promise((resolve) => {
        const end = (reply: RunReply | 'timeout') => {
          clearTimeout(timer)
          inFlight.delete(expire)
          resolve(reply)
        }
        const expire = () => end('timeout')
        const timer = setTimeout(expire, timeoutMs)
        inFlight.add(expire)
        setImmediate(() => {
          void answer(member, text).then((reply) => {
            if (reply !== null) end(reply)
          })
        })
      })
    },
    close: () => {
      serving.clear()
      for (const expire of inFlight) expire()
    },
  }
}
