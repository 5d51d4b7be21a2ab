import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { addressOf } from './gateway-trust.ts'
import { sendJson } from './send-json.ts'
import { sendRefusal } from './send-refusal.ts'

/** A slower answer counts as a database that is unavailable. */
const answerMsMax = 10_000

const Token = z.object({ token: z.string().min(1).max(100) })

/** @returns the token of a query or a body, or an invalid one */
const tokenOf = (sent: unknown): string => {
  const parsed = Token.safeParse(sent)
  return parsed.success ? parsed.data.token : ''
}

/**
 * Binds a route behind a mailed link, whose token is the credential: it needs no key and no cookie. Mail scanners
 * follow links, so a GET changes nothing.
 */
export const bindMailedLink = (
  app: FastifyInstance,
  { method, path }: { method: 'GET' | 'POST'; path: string },
  work: (token: string, address: string) => Promise<object | Refusal>,
): void => {
  app.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const token = tokenOf(method === 'GET' ? request.query : request.body)
      const answer = await withDeadline(work(token, addressOf(request)), answerMsMax)
      if (isRefusal(answer)) return sendRefusal(reply, answer)
      return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(answer))
    },
  })
}
