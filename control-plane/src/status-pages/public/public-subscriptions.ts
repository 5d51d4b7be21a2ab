import { isRefusal, refuse, refuseInvalid, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { PublicPageParams, SubscribeInput } from '@probe-mesh/contracts/subscriber/subscriber'
import { subscriptionRoutes, type SubscriptionTo } from '@probe-mesh/contracts/subscriber/subscription-routes'
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
import { bindMailedLink } from '../../http/mailed-links.ts'
import { addressOf } from '../../http/gateway-trust.ts'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

/** What the subscription routes need. They require no key and no cookie. */
export type SubscriptionCapabilities = {
  context: PublicContext
  rate: AddressRate
  onRateLimited: () => void
}

/** A slower answer counts as a database that is unavailable. */
const answerMsMax = 10_000

/** Far more than a request needs. */
const bodyBytesMax = 8 * 1024

/** `POST /status/:slug/subscribers`, and the routes behind the links in mails. */
export const bindSubscriptions = (app: FastifyInstance, capabilities: SubscriptionCapabilities): void => {
  const { path } = subscriptionRoutes.subscribe
  app.post(path, { bodyLimit: bodyBytesMax }, (request, reply) =>
    handleSubscribe(capabilities, request, reply),
  )
  bindSubscriptionLinks(app, capabilities.context)
}

const handleSubscribe = async (
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
  const subscribed = subscribe(context, params.data.slug, body.data, address)
  const answer = await withDeadline(subscribed, answerMsMax)
  if (isRefusal(answer)) return sendRefusal(reply, answer)
  return sendJson(reply.code(202).header('cache-control', 'no-store'), JSON.stringify(answer))
}

/**
 * The routes behind the links in mails and their buttons, which `web` shows. Mail scanners follow links, so a
 * GET changes nothing.
 */
const bindSubscriptionLinks = (app: FastifyInstance, context: PublicContext): void => {
  bindMailedLink(app, subscriptionRoutes.subscriptionToConfirm, async (token) =>
    publicPart(await findSubscriptionToConfirm(context, token)),
  )
  bindMailedLink(app, subscriptionRoutes.confirmSubscription, async (token) =>
    publicPart(await confirmSubscription(context, token)),
  )
  bindMailedLink(app, subscriptionRoutes.subscriptionToEnd, async (token) => {
    const found = await findSubscriptionToEnd(context, token)
    return isRefusal(found) ? found : { subscription: found === null ? null : publicPart(found) }
  })
  bindMailedLink(app, subscriptionRoutes.endSubscription, (token) => unsubscribe(context, token))
}

/** The public fields of a subscription for the holder of a link: neither ids nor the account. */
const publicPart = (found: SubscriptionTo | Refusal): SubscriptionTo | Refusal =>
  isRefusal(found) ? found : { pageName: found.pageName, componentName: found.componentName }
