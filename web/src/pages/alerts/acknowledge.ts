import type { AlertLink } from '@probe-mesh/contracts/open-alert/alert-link-routes'
import type { Asked } from '../../api/ask.ts'
import { named, time } from '../../html/measures.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { refused } from '../outcome.ts'
import type { PublicOutcome, PublicRoute } from '../public-route.ts'

const path = '/alerts/acknowledge'

/**
 * What the link of an alert mail opens, without a login. Mail scanners follow links, so a GET only shows a button
 * and a POST acts. It reads no cookie: the mailed token is its own authorisation.
 */
export const acknowledgeRoutes: readonly PublicRoute[] = [
  {
    path,
    serve: async ({ query, askPublic }) => {
      const token = query.get('token') ?? ''
      return outcomeOf(await askPublic('readAlertLink', { query: { token } }), token)
    },
  },
  {
    method: 'POST',
    path,
    serve: async ({ form, askPublic }) => {
      const token = form.get('token') ?? ''
      return outcomeOf(await askPublic('useAlertLink', { body: { token } }), token)
    },
  },
]

const outcomeOf = (answer: Asked<AlertLink>, token: string): PublicOutcome => {
  if (answer.ok) return linkPage(answer.value, token)
  const { code, status, message } = answer.problem
  if (code !== 'SV-3001') return refused(answer)
  return {
    kind: 'plain',
    title: 'This link does not work',
    status,
    main: html`<p>${message}</p>
      ${dashboard}`,
  }
}

const dashboard = html`<p class="actions"><a class="button" href="/dashboard">Open the dashboard</a></p>`

const linkPage = (link: AlertLink, token: string): PublicOutcome => {
  const { state, actsFor, usedAt, alerts, more } = link
  const [first] = alerts
  const what = alerts.length === 1 && first !== undefined ? `the alert on ${first.checkName}` : 'the alerts'
  switch (state) {
    case 'open':
      return {
        kind: 'plain',
        title: `Acknowledge ${what}?`,
        main: html`${alertList(link)}
          <p>
            It is acknowledged as ${named(actsFor)}. No more reminders are sent, and the receivers learn who
            took it. The recovery is sent as usual. This link works once.
          </p>
          <form method="post" action="${path}">
            <input type="hidden" name="token" value="${token}" />
            <p class="actions"><button class="primary" type="submit">Acknowledge</button></p>
          </form>`,
      }
    case 'used':
      return {
        kind: 'plain',
        title: 'Acknowledged',
        main: html`<p>This link was used ${time(usedAt)}.</p>
          ${alertList(link)}${dashboard}`,
      }
    case 'closed':
      return {
        kind: 'plain',
        title: alerts.length + more === 0 ? 'Nothing to acknowledge' : 'Already acknowledged',
        main: html`${alerts.length + more === 0 && html`<p>The alerts of this mail are closed.</p>`}
        ${alertList(link)}${dashboard}`,
      }
  }
}

const alertList = ({ alerts, more }: AlertLink): Html | null =>
  alerts.length === 0
    ? null
    : html`<ul>
        ${alerts.map(
          ({ checkName, status, since, acknowledgedBy, acknowledgedAt }) =>
            html`<li>
              <strong>${named(checkName)}</strong> is ${status}; its alert is open since
              ${time(since)}${acknowledgedBy !== null && html`, acknowledged by ${named(acknowledgedBy)} ${time(acknowledgedAt)}`}
            </li> `,
        )}
        ${more > 0 && html`<li>and ${more} more</li>`}
      </ul>`
