import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { subscriptionRoutes } from '@probe-mesh/contracts/subscriber/subscription-routes'
import type { SubscriptionTo } from '@probe-mesh/contracts/subscriber/subscription-routes'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import {
  confirmSubscription,
  findSubscriptionToConfirm,
  findSubscriptionToEnd,
  unsubscribe,
} from '../../subscribers/subscriptions.ts'
import type { PublicContext } from '../../subscribers/context.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

const answerMsMax = 10_000
const Token = z.object({ token: z.string().min(1).max(100) })

/** @returns the token of a query or a body, or one that is nobody's */
const tokenOf = (sent: unknown): string => {
  const parsed = Token.safeParse(sent)
  return parsed.success ? parsed.data.token : ''
}

/**
 * What the links in mail are about, and what their buttons do (contracts, subscriptionRoutes); `web`
 * shows both. Programs that look into mail follow links, so a GET changes nothing.
 */
export const bindSubscriptionLinks = (app: FastifyInstance, context: PublicContext): void => {
  const bind = (
    { method, path }: { method: 'GET' | 'POST'; path: string },
    work: (token: string) => Promise<object | Refusal>,
  ): void => {
    app.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const token = tokenOf(method === 'GET' ? request.query : request.body)
        const answer = await withDeadline(work(token), answerMsMax)
        if (isRefusal(answer)) return sendRefusal(reply, answer)
        return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(answer))
      },
    })
  }
  bind(subscriptionRoutes.subscriptionToConfirm, async (token) =>
    named(await findSubscriptionToConfirm(context, token)),
  )
  bind(subscriptionRoutes.confirmSubscription, async (token) =>
    named(await confirmSubscription(context, token)),
  )
  bind(subscriptionRoutes.subscriptionToEnd, async (token) => {
    const found = await findSubscriptionToEnd(context, token)
    return isRefusal(found) ? found : { subscription: found === null ? null : named(found) }
  })
  bind(subscriptionRoutes.endSubscription, (token) => unsubscribe(context, token))
}

/** Of a subscription, only what its reader is told: neither ids nor whose it is. */
const named = (found: SubscriptionTo | Refusal): SubscriptionTo | Refusal =>
  isRefusal(found) ? found : { pageName: found.pageName, componentName: found.componentName }
