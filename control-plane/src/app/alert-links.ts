import { alertLinkRoutes } from '@probe-mesh/contracts/open-alert/alert-link-routes'
import type { AlertLink } from '@probe-mesh/contracts/open-alert/alert-link-routes'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { acknowledgeByLink, readAlertLink } from '../alerts/alert-links.ts'
import type { LinkContext } from '../alerts/alert-links.ts'
import { addressOf } from '../http/gateway-trust.ts'
import { sendJson } from '../http/send-json.ts'
import { sendRefusal } from '../http/send-refusal.ts'

/** A slower answer counts as a database that is unavailable. */
const answerMsMax = 10_000

const Token = z.object({ token: z.string().min(1).max(100) })

const tokenOf = (sent: unknown): string => {
  const parsed = Token.safeParse(sent)
  return parsed.success ? parsed.data.token : ''
}

/**
 * The routes behind the links of alert mails, which `web` shows. Mail scanners follow links, so a GET changes
 * nothing.
 */
export const bindAlertLinks = (app: FastifyInstance, context: LinkContext): void => {
  const bind = (
    { method, path }: { method: 'GET' | 'POST'; path: string },
    work: (token: string, address: string) => Promise<AlertLink | Refusal>,
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
  bind(alertLinkRoutes.readAlertLink, (token) => readAlertLink(context, token))
  bind(alertLinkRoutes.useAlertLink, (token, address) => acknowledgeByLink(context, token, address))
}
