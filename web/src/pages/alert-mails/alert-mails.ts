import { addressConfirmationDays, type AlertMailTo } from '@probe-mesh/contracts/alert/alert-address'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Asked } from '../../api/ask.ts'
import { named } from '../../html/measures.ts'
import { refused, type Outcome } from '../outcome.ts'
import { publicGet, publicPost, type PublicOutcome, type PublicRoute } from '../public-route.ts'

type Page = Extract<Outcome, { kind: 'plain' }>

const confirmPath = '/alert-mails/confirm'
const unsubscribePath = '/alert-mails/unsubscribe'

const button = (label: string, action: string, [name, value]: readonly [string, string]): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="${name}" value="${value}" />
    <p class="actions"><button class="primary" type="submit">${label}</button></p>
  </form>`

const confirmPage = ({ accountName, email }: AlertMailTo, token: string): Page => ({
  kind: 'plain',
  title: 'Confirm alerts by mail',
  main: html`<p>
      The account ${named(accountName)} wants to send alerts about its checks to ${named(email)}. Every mail
      has a link that ends them.
    </p>
    ${button('Confirm', confirmPath, ['token', token])}`,
})

const confirmedPage = ({ accountName, email }: AlertMailTo): Page => ({
  kind: 'plain',
  title: 'Alerts are confirmed',
  main: html`<p>${named(email)} gets alerts of the account ${named(accountName)} from now on.</p>`,
})

/** Its form sends the same request as mail programs (RFC 8058, 3.1). */
const unsubscribePage = ({ accountName, email }: AlertMailTo, token: string): Page => ({
  kind: 'plain',
  title: 'Unsubscribe from alerts',
  main: html`<p>Stop alerts of ${named(accountName)} to ${named(email)}?</p>
    ${button('Unsubscribe', `${unsubscribePath}/${encodeURIComponent(token)}`, ['List-Unsubscribe', 'One-Click'])}`,
})

const unsubscribedPage: Page = {
  kind: 'plain',
  title: 'You are unsubscribed',
  main: html`<p>You will get no more alerts of this account.</p>`,
}

const linkEnded: Page = {
  kind: 'plain',
  title: 'This link does not work any more',
  status: 404,
  main: html`<p>
    It is older than ${addressConfirmationDays} days, a newer one was sent, or you unsubscribed. The owner of
    the account can send another one.
  </p>`,
}

const noSuchLink: Page = {
  kind: 'plain',
  title: 'This link is not one of ours',
  status: 404,
  main: html`<p>It may have been cut by a mail program: copy the whole address from the mail.</p>`,
}

/** @param missing the answer to an unknown or expired token */
const otherwise = (answer: Extract<Asked<unknown>, { ok: false }>, missing: PublicOutcome): PublicOutcome =>
  answer.problem.code === 'SV-3001' ? missing : refused(answer)

/**
 * The links in mails to addresses of people who are no members. They read no cookie, and any site may post to them:
 * a mailed token is its own authorisation. Mail scanners follow links, so a GET only shows a button.
 */
export const alertMailRoutes: readonly PublicRoute[] = [
  publicGet(confirmPath, async ({ query, askPublic }) => {
    const token = query.get('token') ?? ''
    const answer = await askPublic('addressToConfirm', { query: { token } })
    return answer.ok ? confirmPage(answer.value, token) : otherwise(answer, linkEnded)
  }),
  publicPost(confirmPath, async ({ form, askPublic }) => {
    const answer = await askPublic('confirmAddress', { body: { token: form.get('token') ?? '' } })
    return answer.ok ? confirmedPage(answer.value) : otherwise(answer, linkEnded)
  }),
  publicGet(`${unsubscribePath}/:token`, async ({ params, askPublic }) => {
    const token = params['token'] ?? ''
    const answer = await askPublic('addressToEnd', { query: { token } })
    if (!answer.ok) return otherwise(answer, noSuchLink)
    const { to } = answer.value
    return to === null ? unsubscribedPage : unsubscribePage(to, token)
  }),
  {
    method: 'POST',
    path: `${unsubscribePath}/:token`,
    // multipart or urlencoded (RFC 8058, 3.1), by a program and without a cookie
    takes: 'anything',
    serve: async ({ params, askPublic }) => {
      const answer = await askPublic('endAddress', { body: { token: params['token'] ?? '' } })
      return answer.ok ? unsubscribedPage : otherwise(answer, noSuchLink)
    },
  },
]
