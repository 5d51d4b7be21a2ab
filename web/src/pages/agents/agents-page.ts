import { z } from 'zod'
import { ownFaultOf } from '@probe-mesh/contracts/agent/agent-report'
import type { CreatedAgent, PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { card, emptyState } from '../../html/components/card.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { copyable } from '../keys/client-section.ts'

const presences: Readonly<Record<PrivateAgent['presence'], Wording>> = {
  never: { tone: 'silent', text: 'Not connected yet' },
  present: { tone: 'good', text: 'Online' },
  away: { tone: 'bad', text: 'Offline' },
  revoked: { tone: 'silent', text: 'Revoked' },
}

/** Whether the agent is online, and its own faults: readings during a fault do not count against targets. */
const standing = ({ presence, report, lastSeenAt }: PrivateAgent): Piece => {
  const fault = presence === 'present' && report !== null ? ownFaultOf(report) : null
  const state = tag(presences[presence])
  if (fault === null || lastSeenAt === null) return state
  const words = { names: 'its resolver answers for no name', network: 'it reaches no canary' }
  // by our clock: the agent's clock may be wrong
  const sinceMs = Math.max(0, Date.parse(lastSeenAt) - fault.forMs)
  return html`${state}
    <span class="target bad">${words[fault.what]} since ${exactTime(new Date(sinceMs).toISOString())}</span>`
}

const actions = ({ id, name, revokedAt }: PrivateAgent): Piece =>
  revokedAt === null &&
  html`<a class="button" href="/dashboard/agents/${id}/rotate" data-confirm
      >Replace token<span class="unseen"> of ${name}</span></a
    ><a class="button" href="/dashboard/agents/${id}/revoke" data-confirm
      >Revoke<span class="unseen"> ${name}</span></a
    >`

/** Every private agent of the account with its state, and the form that adds another. */
export const agentsPage = (agents: readonly PrivateAgent[], form: FormState): Html => html`
  ${
    agents.length === 0
      ? emptyState({
          icon: 'agent',
          title: 'No private agents yet',
          text: 'A private agent measures what only your network reaches.',
          action: { path: '#field-name', text: 'New agent' },
        })
      : rowsTable(
          'Private agents',
          [
            {
              heading: 'Agent',
              cell: ({ name, hint, version, region }) =>
                html`<strong>${named(name)}</strong>
                  <span class="target"
                    ><bdi title="${region}">${hint}</bdi
                    >${version !== null && html` · version ${named(version)}`}</span
                  >`,
            },
            { heading: 'State', cell: standing },
            {
              heading: 'Last report',
              cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'Never' : time(lastSeenAt)),
            },
            { heading: 'Checks', cell: ({ checks }) => checks, isNumber: true },
            {
              heading: 'Queued readings',
              cell: ({ report }) => report?.spool?.readings ?? none,
              isNumber: true,
            },
            { heading: 'Actions', isActions: true, cell: actions },
          ],
          agents,
        )
  }
  ${card(
    { id: 'new', title: 'New agent', about: 'Its checks are private: no status page shows them.' },
    html`${problemSummary(form, ['name'])}
      <form method="post" action="/dashboard/agents">
        <div class="fields">
          ${textField(form, { name: 'name', label: 'Name', hint: 'Where it runs, such as office or cluster-1.', isRequired: true })}
        </div>
        <p class="actions"><button class="primary" type="submit">Create agent</button></p>
      </form>`,
  )}
`

/** A new token, passed to the page that shows it. */
export const ShownToken = z.object({ name: z.string(), token: z.string(), meshUrl: z.string() })
export const shownToken = ({ agent, token, meshUrl }: CreatedAgent): z.infer<typeof ShownToken> => ({
  name: agent.name,
  token,
  meshUrl,
})

/** The only page that shows a token, with the command to start an agent. */
export const tokenPage = ({ name, token, meshUrl }: z.infer<typeof ShownToken>): Html => html`
  <p class="done" role="status">Token of <bdi>${name}</bdi>. It is shown only once: copy it now.</p>
  ${card({ id: 'token', title: 'Token' }, copyable(token, 'the token'))}
  ${card(
    { id: 'start', title: 'Start the agent' },
    html`<p>
        Save the token in a file that only the agent's user can read. <code>PRIVATE_TARGETS</code> lists the
        addresses, ranges and host names that the agent may measure.
      </p>
      ${copyable(
        `MESH_URL=${meshUrl} AGENT_CREDENTIALS=agent.token PRIVATE_TARGETS=10.0.0.0/8,db.internal npm run agent`,
        'the command',
      )}`,
  )}
  <p class="actions"><a class="button primary" href="/dashboard/agents">Done</a></p>
`

export const rotatePage = ({ id, name, hint }: PrivateAgent): Html =>
  html`<div data-dialog>
    <p>
      The current token of <bdi>${name}</bdi> (<code>${hint}</code>) stops working at once. Readings wait on
      the agent's disk until it has the new token. If secrets name the agent, log in again before this: your
      login must be younger than 10 minutes.
    </p>
    ${confirmForm({ action: `/dashboard/agents/${id}/rotate`, button: 'Replace token', cancel: '/dashboard/agents', tone: 'primary' })}
  </div>`

export const revokePage = ({ id, name, checks }: PrivateAgent): Html =>
  html`<div data-dialog>
    <p>
      The agent <bdi>${name}</bdi> is refused at once, and for good.
      ${checks > 0 && html`Its ${checks === 1 ? 'check goes' : `${checks} checks go`} stale and ${checks === 1 ? 'keeps its' : 'keep their'} history.`}
    </p>
    ${confirmForm({ action: `/dashboard/agents/${id}/revoke`, button: 'Revoke agent', cancel: '/dashboard/agents' })}
  </div>`
