import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import type { Check, StoredReading } from '@probe-mesh/contracts/check/check'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { refused } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { readingTable } from './readings-page.ts'

/** What is done with a check besides reading it: measured now, or deleted after a page that says what is lost. */
export const checkActRoutes: readonly MemberRoute[] = [
  {
    method: 'POST',
    path: '/dashboard/checks/:id/run',
    serve: async ({ ask, params }) => {
      const id = params['id'] ?? ''
      const found = await ask('getCheck', { params: { id } })
      if (!found.ok) return refused(found)
      const answer = await ask('runCheck', { params: { id } })
      if (!answer.ok) return refused(answer)
      const main = runPage(found.value, answer.value)
      return { kind: 'page', title: `Measured now: ${found.value.name}`, area: 'checks', main }
    },
  },
  // what a browser asks for where the page above is opened again
  {
    method: 'GET',
    path: '/dashboard/checks/:id/run',
    serve: async ({ params }) => ({
      kind: 'elsewhere',
      path: `/dashboard/checks/${encodeURIComponent(params['id'] ?? '')}`,
    }),
  },
  {
    method: 'GET',
    path: '/dashboard/checks/:id/delete',
    serve: async ({ ask, params }) => {
      const [found, rules] = await Promise.all([
        ask('getCheck', { params: { id: params['id'] ?? '' } }),
        ask('listAlertRules', {}),
      ])
      if (!found.ok) return refused(found)
      if (!rules.ok) return refused(rules)
      const main = deletePage(found.value, rules.value.alertRules)
      return { kind: 'page', title: `Delete ${found.value.name}?`, area: 'checks', main }
    },
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/delete',
    serve: async ({ ask, params }) => {
      const answer = await ask('deleteCheck', { params: { id: params['id'] ?? '' } })
      return answer.ok ? { kind: 'elsewhere', path: '/dashboard/checks' } : refused(answer)
    },
  },
]

const runPage = (
  { id, name }: Pick<Check, 'id' | 'name'>,
  { readings, unanswered }: { readings: readonly StoredReading[]; unanswered: readonly string[] },
): Html => html`
  <p>
    Of ${named(name)}, one manual reading from each region. Manual readings are evidence for its status;
    uptime and the history count scheduled ones only.
  </p>
  ${readings.length > 0 && readingTable('Measured now', readings)}
  ${
    unanswered.length > 0 &&
    html`<p class="problems" role="alert">
      Not measured, since no agent answered in time: ${unanswered.join(', ')}. That says nothing of the
      target.
    </p>`
  }
  <form method="post" action="/dashboard/checks/${id}/run">
    <p class="actions">
      <button type="submit">Measure again</button>
      <a href="/dashboard/checks/${id}">Back to the check</a>
    </p>
  </form>
`

/**
 * Asks before a check is deleted with its history (S-219).
 * @param rules all of the account
 */
const deletePage = (
  { id, name, type }: Pick<Check, 'id' | 'name' | 'type'>,
  rules: readonly AlertRule[],
): Html => html`
  <p>Nobody can bring ${named(name)} back. With it go, for good:</p>
  <ul>
    ${
      type === 'heartbeat'
        ? html`<li>its ping address, which is not found from then on, and all its runs</li>`
        : html`<li>every reading, and the history and uptime that were made of them</li>`
    }
    <li>its component on every status page, and its incidents there</li>
    <li>its status, and the alerts that wait for it to be over</li>
  </ul>
  ${rulesLosing(id, rules)}
  <p>A check of the same name and address that is made later begins without any history.</p>
  <form method="post" action="/dashboard/checks/${id}/delete">
    <p class="actions">
      <button class="danger" type="submit">Delete the check and its history</button>
      <a href="/dashboard/checks/${id}">Keep it</a>
    </p>
  </form>
`

const rulesLosing = (checkId: string, rules: readonly AlertRule[]): Html | null => {
  const naming = rules.filter(({ checkIds }) => checkIds?.includes(checkId) === true)
  if (naming.length === 0) return null
  return html`<p>These alert rules name it:</p>
    <ul>
      ${naming.map(
        (rule) =>
          html`<li>
            <a href="/dashboard/rules/${rule.id}">${named(rule.name)}</a>
            ${rule.checkIds?.length === 1 && '(no check is left to it: it tells of nothing)'}
          </li> `,
      )}
    </ul>`
}
