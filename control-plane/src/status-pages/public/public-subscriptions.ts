import { isRefusal, refuse, refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import { PublicPageParams, SubscribeInput } from '@probe-mesh/contracts/subscriber/subscriber'
import { subscriptionRoutes } from '@probe-mesh/contracts/subscriber/subscription-routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicContext } from '../../subscribers/context.ts'
import {
  subscribe,
  confirmSubscription,
  findSubscriptionToConfirm,
  findSubscriptionToEnd,
  unsubscribe,
} from '../../subscribers/subscriptions.ts'
import type { AddressRate } from '../../http/address-rate.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { addressOf } from '../../http/gateway-trust.ts'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { SubscriptionTo } from '@probe-mesh/contracts/subscriber/subscription-routes'
import { z } from 'zod'

/** What is under `/status` and `/subscriptions` for those who want a page's mail: no key, no cookie. */
export type SubscriptionCapabilities = {
  context: PublicContext
  rate: AddressRate
  onRateLimited: () => void
}

/** Beyond this a store is as good as away. */
const answerMsMax = 10_000

/** Far more than an address needs. */
const bodyBytesMax = 8 * 1024

/** `POST /status/:slug/subscribers`, and what the links in what is mailed ask. */
export const bindSubscriptions = (
  app: FastifyInstance,
  capabilities: SubscriptionCapabilities,
): void => {
  const { path } = subscriptionRoutes.subscribe
  app.post(path, { bodyLimit: bodyBytesMax }, (request, reply) =>
    takeSubscription(capabilities, request, reply),
  )
  bindSubscriptionLinks(app, capabilities.context)
}

const takeSubscription = async (
  { context, rate, onRateLimited }: SubscriptionCapabilities,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const params = PublicPageParams.safeParse(request.params)
  if (!params.success) return sendRefusal(reply, refuse('SV-3001'))
  const body = SubscribeInput.safeParse(request.body ?? {})
  if (!body.success) return sendRefusal(reply, refuseInvalid([body.error]))
  const address = addressOf(request)
  const retryAfterSeconds = rate.take(address)
  if (retryAfterSeconds > 0) {
    onRateLimited()
    return sendRefusal(reply, refuse('SV-6004', { retryAfterSeconds }))
  }
  const asked = subscribe(context, params.data.slug, body.data, address)
  const answer = await withDeadline(asked, answerMsMax)
  if (isRefusal(answer)) return sendRefusal(reply, answer)
  return sendJson(reply.code(202).header('cache-control', 'no-store'), JSON.stringify(answer))
}

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
