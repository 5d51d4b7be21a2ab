import { isRefusal, refuse, refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import { PublicPageParams, SubscribeInput } from '@probe-mesh/contracts/subscriber/subscriber'
import { subscriptionRoutes } from '@probe-mesh/contracts/subscriber/subscription-routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicContext } from '../../subscribers/context.ts'
import { subscribe } from '../../subscribers/subscriptions.ts'
import type { AddressRate } from '../../http/address-rate.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { addressOf } from '../../http/gateway-trust.ts'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'
import { bindSubscriptionLinks } from './subscription-links.ts'

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
