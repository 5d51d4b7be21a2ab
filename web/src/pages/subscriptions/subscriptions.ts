import type { Asked } from '../../api/ask.ts'
import { refused, refusedForm } from '../outcome.ts'
import { publicGet, publicPost, type PublicOutcome, type PublicRoute } from '../public-route.ts'
import {
  confirmPage,
  confirmPath,
  confirmedPage,
  linkEnded,
  noSuchLink,
  unsubscribePage,
  unsubscribePath,
  unsubscribedPage,
} from './link-pages.ts'
import { html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { subscribeForm } from '../status/subscribe-form.ts'
import { typedOf } from '../typed.ts'

/** Handles the form of a status page; a refusal shows the form alone, with its problems. */
const subscribe: PublicRoute['serve'] = async ({ params, form, askPublic }) => {
  const page = { params: { slug: params['slug'] ?? '' } }
  const typed = typedOf(form)
  const answer = await askPublic('subscribe', { ...page, body: typed as never })
  if (answer.ok) {
    const main = html`<p>${answer.value.message}</p>`
    return { kind: 'plain', title: 'Look into your mailbox', status: 202, main }
  }
  if (answer.problem.code !== 'SV-2001') return refused(answer)
  const shown = await askPublic('publicPage', page)
  if (!shown.ok) return refused(answer)
  const { page: of, components } = shown.value
  return {
    kind: 'plain',
    title: `Mail about ${of.name}`,
    heading: html`Mail about ${named(of.name)}`,
    status: answer.problem.status,
    main: subscribeForm(of, components, refusedForm(typed, answer.problem)),
  }
}

/**
 * Mail subscriptions of a status page: the form, and the links in mail. They read no cookie, and any site may
 * post to them: a form allows nothing that is not possible without a browser, and a mailed token is its own
 * authorisation. Mail scanners follow links, so a GET only shows a button and a POST acts.
 */
export const subscriptionRoutes: readonly PublicRoute[] = [
  {
    method: 'POST',
    path: '/status/:slug/subscribers',
    takes: 'form_beside_json',
    serve: subscribe,
  },
  publicGet(confirmPath, async ({ query, askPublic }) => {
    const token = query.get('token') ?? ''
    const answer = await askPublic('subscriptionToConfirm', { query: { token } })
    return answer.ok ? confirmPage(answer.value, token) : otherwise(answer, linkEnded)
  }),
  publicPost(confirmPath, async ({ form, askPublic }) => {
    const token = form.get('token') ?? ''
    const answer = await askPublic('confirmSubscription', { body: { token } })
    return answer.ok ? confirmedPage(answer.value) : otherwise(answer, linkEnded)
  }),
  publicGet(`${unsubscribePath}/:token`, async ({ params, askPublic }) => {
    const token = params['token'] ?? ''
    const answer = await askPublic('subscriptionToEnd', { query: { token } })
    if (!answer.ok) return otherwise(answer, noSuchLink)
    const { subscription } = answer.value
    return subscription === null ? unsubscribedPage : unsubscribePage(subscription, token)
  }),
  {
    method: 'POST',
    path: `${unsubscribePath}/:token`,
    // multipart or urlencoded (RFC 8058, 3.1), by a program and without a cookie
    takes: 'anything',
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('endSubscription', { body: { token: params['token'] ?? '' } })
      return answer.ok ? unsubscribedPage : otherwise(answer, noSuchLink)
    },
  },
]

/** @param missing the answer to an unknown or expired token */
const otherwise = (answer: Extract<Asked<unknown>, { ok: false }>, missing: PublicOutcome): PublicOutcome =>
  answer.problem.code === 'SV-3001' ? missing : refused(answer)
