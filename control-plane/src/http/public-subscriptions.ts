import { isRefusal, refuse, refuseInvalid } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { PublicPageParams, SubscribeInput } from '@probe-mesh/contracts/subscriber'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PublicContext } from '../public/context.ts'
import { subscribe } from '../public/subscribe.ts'
import type { AddressRate } from './address-rate.ts'
import { withDeadline } from '../deadline.ts'
import { acceptForms, formBytesMax } from './form-body.ts'
import { addressOf } from './gateway-trust.ts'
import { sendRefusal } from './send-refusal.ts'
import { subscriptionPage } from './subscription-page.ts'
import { bindSubscriptionLinks, sendPage } from './subscription-links.ts'

/** What is under `/status` and `/subscriptions` for those who want a page's mail: no key, no cookie. */
export type SubscriptionCapabilities = {
  context: PublicContext
  rate: AddressRate
  onRateLimited: () => void
}

/** Beyond this a store is as good as away. */
export const publicAnswerMsMax = 10_000

/** `POST /status/:slug/subscribers`, as JSON or as a form, and the links in what is mailed. */
export const bindSubscriptions = (
  app: FastifyInstance,
  capabilities: SubscriptionCapabilities,
): void => {
  void app.register(async (scope) => {
    acceptForms(scope)
    scope.post('/status/:slug/subscribers', { bodyLimit: formBytesMax }, (request, reply) =>
      takeSubscription(capabilities, request, reply),
    )
  })
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
  const retryAfterSeconds = rate.take(addressOf(request))
  if (retryAfterSeconds > 0) {
    onRateLimited()
    return sendRefusal(reply, refuse('SV-6004', { retryAfterSeconds }))
  }
  const asked = subscribe(context, params.data.slug, body.data)
  return answer(request, reply, await withDeadline(asked, publicAnswerMsMax))
}

/** A program gets JSON; whoever sent a form reads a page. */
const answer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Awaited<ReturnType<typeof subscribe>> | Refusal,
): FastifyReply => {
  if (isRefusal(answer)) return sendRefusal(reply, answer)
  if (request.headers['content-type']?.startsWith('application/json') === true) {
    return reply
      .code(202)
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(JSON.stringify(answer))
  }
  const page = subscriptionPage({ heading: 'Look into your mailbox', text: answer.message })
  return sendPage(reply.code(202), page)
}
