import { isRefusal } from '@probe-mesh/contracts/refusal'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { confirmSubscription, findSubscriptionToConfirm } from '../public/confirm-subscription.ts'
import type { PublicContext } from '../public/context.ts'
import { findSubscriptionToEnd, unsubscribe } from '../public/unsubscribe.ts'
import { withDeadline } from '../deadline.ts'
import { acceptForms, formBytesMax } from './form-body.ts'
import { subscriptionPage, subscriptionPagePolicy } from './subscription-page.ts'

const answerMsMax = 10_000
const Token = z.object({ token: z.string().min(1).max(100) })

/** @returns the token of a query, a body or a path, or one that is nobody's */
const tokenOf = (sent: unknown): string => {
  const parsed = Token.safeParse(sent)
  return parsed.success ? parsed.data.token : ''
}

/**
 * The links in mail. Programs that look into mail follow them, so a GET only shows a button and a
 * POST does what it says.
 */
export const bindSubscriptionLinks = (app: FastifyInstance, context: PublicContext): void => {
  void app.register(async (scope) => {
    acceptForms(scope)
    scope.get('/subscriptions/confirm', async (request, reply) => {
      const token = tokenOf(request.query)
      const found = await withDeadline(findSubscriptionToConfirm(context, token), answerMsMax)
      if (isRefusal(found)) return sendPage(reply.code(found.status), linkEnded)
      return sendPage(reply, confirmPage(found, token))
    })
    scope.post('/subscriptions/confirm', { bodyLimit: formBytesMax }, async (request, reply) => {
      const confirmed = confirmSubscription(context, tokenOf(request.body))
      const subscriber = await withDeadline(confirmed, answerMsMax)
      if (isRefusal(subscriber)) return sendPage(reply.code(subscriber.status), linkEnded)
      return sendPage(reply, confirmedPage(subscriber))
    })
  })
  void app.register(async (scope) => {
    // multipart or urlencoded (RFC 8058 3.1): that it is a POST to this address says everything
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: formBytesMax },
      (_, body, done) => done(null, body),
    )
    scope.get('/subscriptions/unsubscribe/:token', async (request, reply) => {
      const token = tokenOf(request.params)
      const found = await withDeadline(findSubscriptionToEnd(context, token), answerMsMax)
      if (found === null) return sendPage(reply, unsubscribedPage)
      if (isRefusal(found)) return sendPage(reply.code(found.status), noSuchLink)
      return sendPage(reply, unsubscribePage(found, token))
    })
    scope.post('/subscriptions/unsubscribe/:token', async (request, reply) => {
      const ended = await withDeadline(unsubscribe(context, tokenOf(request.params)), answerMsMax)
      if (isRefusal(ended)) return sendPage(reply.code(ended.status), noSuchLink)
      return sendPage(reply, unsubscribedPage)
    })
  })
}

type Subscription = { pageName: string; componentName: string | null }

const whatOf = ({ pageName, componentName }: Subscription): string =>
  componentName === null ? pageName : `${componentName} on ${pageName}`

const confirmPage = (subscription: Subscription, token: string): string =>
  subscriptionPage({
    heading: `Subscribe to ${whatOf(subscription)}`,
    text: 'Press the button to get mail about incidents and maintenance. Every mail has a link that ends it.',
    button: { label: 'Confirm', action: '/subscriptions/confirm', fields: { token } },
  })

const confirmedPage = (subscription: Subscription): string =>
  subscriptionPage({
    heading: 'You are subscribed',
    text: `You will get mail about incidents and maintenance of ${whatOf(subscription)}.`,
  })

const unsubscribePage = (subscription: Subscription, token: string): string =>
  subscriptionPage({
    heading: `Unsubscribe from ${whatOf(subscription)}`,
    text: 'Press the button to get no more mail.',
    button: {
      label: 'Unsubscribe',
      action: `/subscriptions/unsubscribe/${token}`,
      fields: { 'List-Unsubscribe': 'One-Click' },
    },
  })

const unsubscribedPage = subscriptionPage({
  heading: 'You are unsubscribed',
  text: 'You will get no more mail from this subscription.',
})

const linkEnded = subscriptionPage({
  heading: 'This link does not work any more',
  text: 'It is older than 24 hours, or a newer one was sent. Subscribe again on the status page.',
})

const noSuchLink = subscriptionPage({
  heading: 'This link is not one of ours',
  text: 'It may have been cut by a mail program: copy the whole address from the mail.',
})

/** A page that is for one reader and one time: not kept, not framed, and its address told nobody. */
export const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', subscriptionPagePolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .send(page)
