import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import type { Check } from '@probe-mesh/contracts/check/check'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { refused } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'

/** Measuring a check now, and deleting it after a confirmation. */
export const checkActRoutes: readonly MemberRoute[] = [
  post('/dashboard/checks/:id/run', async ({ ask, params }) => {
    const id = params['id'] ?? ''
    const answer = await ask('runCheck', { params: { id } })
    if (!answer.ok) return refused(answer)
    const done = answer.value.unanswered.length === 0 ? 'run-asked' : 'run-partly'
    return { kind: 'elsewhere', path: `/dashboard/checks/${id}#regions`, done }
  }),
  // a browser requests this when the page above is opened again
  get('/dashboard/checks/:id/run', async ({ params }) => ({
    kind: 'elsewhere',
    path: `/dashboard/checks/${encodeURIComponent(params['id'] ?? '')}`,
  })),
  get('/dashboard/checks/:id/delete', async ({ ask, params }) => {
    const [found, rules] = await Promise.all([
      ask('getCheck', { params: { id: params['id'] ?? '' } }),
      ask('listAlertRules', {}),
    ])
    if (!found.ok) return refused(found)
    if (!rules.ok) return refused(rules)
    const { name } = found.value
    const main = deletePage(found.value, rules.value.alertRules)
    const crumbs = [{ path: `/dashboard/checks/${found.value.id}`, text: name }]
    return { kind: 'page', title: `Delete ${name}?`, area: 'checks', crumbs, main }
  }),
  post('/dashboard/checks/:id/delete', async ({ ask, params }) => {
    const answer = await ask('deleteCheck', { params: { id: params['id'] ?? '' } })
    return answer.ok
      ? { kind: 'elsewhere', path: '/dashboard/checks', done: 'check-deleted' }
      : refused(answer)
  }),
]

/**
 * The confirmation before a check is deleted with its history (S-219); islands/menus.js shows it in a dialog.
 * @param rules all of the account
 */
const deletePage = (
  { id, name, type }: Pick<Check, 'id' | 'name' | 'type'>,
  rules: readonly AlertRule[],
): Html =>
  html`<div data-dialog>
    <p>${named(name)} is deleted for good, with:</p>
    <ul>
      ${type === 'heartbeat' ? html`<li>its ping address and its runs</li>` : html`<li>its readings, history and uptime</li>`}
      <li>its component on every status page, and its incidents there</li>
      <li>its open alerts</li>
    </ul>
    ${rulesLosing(id, rules)}
    <p class="muted">A new check of the same name and target starts without history.</p>
    ${confirmForm({ action: `/dashboard/checks/${id}/delete`, button: 'Delete check', cancel: `/dashboard/checks/${id}` })}
  </div>`

const rulesLosing = (checkId: string, rules: readonly AlertRule[]): Html | null => {
  const naming = rules.filter(({ checkIds }) => checkIds?.includes(checkId) === true)
  if (naming.length === 0) return null
  return html`<p>These alert rules name it:</p>
    <ul>
      ${naming.map(
        (rule) =>
          html`<li>
            <a href="/dashboard/rules/${rule.id}">${named(rule.name)}</a>
            ${rule.checkIds?.length === 1 && '(its only check: the rule will notify of nothing)'}
          </li> `,
      )}
    </ul>`
}
