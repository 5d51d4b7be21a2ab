import type { Asked } from '../../api/ask.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { PublicOutcome, PublicRoute } from '../public-route.ts'
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

/** Takes the form of a status page; what it refuses stands in the form, by itself, to be mended. */
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
 * A status page's mail, for its readers: the form that asks for it, and what the links in mail open.
 * No cookie is read, and any site may post these: a form does no more than anybody could do without a
 * browser, and a mailed token stands for itself. Programs that look into mail follow links, so a GET
 * only shows a button and a POST does what it says.
 */
export const subscriptionRoutes: readonly PublicRoute[] = [
  {
    method: 'POST',
    path: '/status/:slug/subscribers',
    takes: 'form_beside_json',
    serve: subscribe,
  },
  {
    path: confirmPath,
    serve: async ({ query, askPublic }) => {
      const token = query.get('token') ?? ''
      const answer = await askPublic('subscriptionToConfirm', { query: { token } })
      return answer.ok ? confirmPage(answer.value, token) : otherwise(answer, linkEnded)
    },
  },
  {
    method: 'POST',
    path: confirmPath,
    serve: async ({ form, askPublic }) => {
      const token = form.get('token') ?? ''
      const answer = await askPublic('confirmSubscription', { body: { token } })
      return answer.ok ? confirmedPage(answer.value) : otherwise(answer, linkEnded)
    },
  },
  {
    path: `${unsubscribePath}/:token`,
    serve: async ({ params, askPublic }) => {
      const token = params['token'] ?? ''
      const answer = await askPublic('subscriptionToEnd', { query: { token } })
      if (!answer.ok) return otherwise(answer, noSuchLink)
      const { subscription } = answer.value
      return subscription === null ? unsubscribedPage : unsubscribePage(subscription, token)
    },
  },
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

/** @param missing what is said of a token that is none of ours, or no longer */
const otherwise = (answer: Extract<Asked<unknown>, { ok: false }>, missing: PublicOutcome): PublicOutcome =>
  answer.problem.code === 'SV-3001' ? missing : refused(answer)
