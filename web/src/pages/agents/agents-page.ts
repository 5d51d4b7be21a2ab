import { ownFaultOf } from '@probe-mesh/contracts/agent/agent-report'
import type { CreatedAgent, PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { copyable } from '../keys/client-section.ts'

const presences: Readonly<Record<PrivateAgent['presence'], string>> = {
  never: 'not seen yet',
  present: 'there',
  away: 'silent',
  revoked: 'revoked',
}

const waiting = ({ report }: PrivateAgent): Piece => report?.spool?.readings ?? none

/** Whether it is there, and what of itself does not work, so that it counts nothing against targets. */
const standing = ({ presence, report, lastSeenAt }: PrivateAgent): Piece => {
  const fault = presence === 'present' && report !== null ? ownFaultOf(report) : null
  if (fault === null || lastSeenAt === null) return presences[presence]
  const words = { names: 'its resolver answers for no name', network: 'it reaches no canary' }
  // by our clock: what an agent says of its own may be anything
  const sinceMs = Math.max(0, Date.parse(lastSeenAt) - fault.forMs)
  return html`${presences[presence]}; ${words[fault.what]} since ${exactTime(new Date(sinceMs).toISOString())}`
}

const acts = ({ id, name, revokedAt }: PrivateAgent): Piece =>
  revokedAt === null &&
  html`<a href="/dashboard/agents/${id}/rotate">New token<span class="unseen"> ${name}</span></a>
    <a href="/dashboard/agents/${id}/revoke">Revoke<span class="unseen"> ${name}</span></a>`

/** Every private agent of the account with whether it is there, and the form that enrols another. */
export const agentsPage = (agents: readonly PrivateAgent[], form: FormState): Html => html`
  <p>
    A private agent runs on a machine of yours and measures what only your network reaches. What it may reach
    is said on that machine alone. Its checks are private: no status page can show them. While it is silent
    they are stale, never down.
  </p>
  ${
    agents.length === 0
      ? html`<p>There is no agent yet.</p>`
      : table(
          'Agents',
          [
            { heading: 'Name', cell: ({ name }) => named(name) },
            { heading: 'Is', cell: standing },
            { heading: 'Last seen', cell: ({ lastSeenAt }) => time(lastSeenAt) },
            { heading: 'Checks', cell: ({ checks }) => checks, isNumber: true },
            { heading: 'Waits on its disk', cell: waiting, isNumber: true },
            { heading: 'Version', cell: ({ version }) => version ?? none },
            { heading: 'Token', cell: ({ hint }) => html`<code>${hint}</code>` },
            { heading: 'Region', cell: ({ region }) => html`<code>${region}</code>` },
            { heading: 'Act', cell: acts },
          ],
          agents,
        )
  }
  <h2>Enrol an agent</h2>
  ${problemSummary(form, ['name'])}
  <form method="post" action="/dashboard/agents">
    <div class="fields">
      ${textField(form, { name: 'name', label: 'Name', hint: 'Where it stands, such as office or cluster-1.', isRequired: true })}
    </div>
    <p class="actions"><button class="primary" type="submit">Enrol the agent</button></p>
  </form>
`

/** The only time that a token is shown, with how an agent is started. */
export const tokenPage = ({ agent, token, meshUrl }: CreatedAgent): Html => html`
  <p class="done">This is the token of <bdi>${agent.name}</bdi>. It is not shown again: copy it now.</p>
  ${copyable(token, 'the token')}
  <p>
    Keep it in a file that the agent's user alone may read, and start the agent. Name what it may reach in
    <code>PRIVATE_TARGETS</code>: addresses, ranges and host names.
  </p>
  ${copyable(
    `MESH_URL=${meshUrl} AGENT_CREDENTIALS=agent.token PRIVATE_TARGETS=10.0.0.0/8,db.internal npm run agent`,
    'the command',
  )}
  <p><a class="button" href="/dashboard/agents">I have copied it</a></p>
`

export const rotatePage = ({ id, name, hint }: PrivateAgent): Html => html`
  <p>
    The agent <bdi>${name}</bdi> is given a new token. The one that it has (<code>${hint}</code>) is good for
    nothing from then on; what it measures meanwhile waits on its disk.
  </p>
  <form method="post" action="/dashboard/agents/${id}/rotate">
    <p class="actions">
      <button class="primary" type="submit">Make a new token</button>
      <a href="/dashboard/agents">Leave it</a>
    </p>
  </form>
`

export const revokePage = ({ id, name, checks }: PrivateAgent): Html => html`
  <p>
    The agent <bdi>${name}</bdi> is let in no more, at once, and for good.
    ${checks > 0 && html`Its checks (${checks}) go stale and keep their history.`}
  </p>
  <form method="post" action="/dashboard/agents/${id}/revoke">
    <p class="actions">
      <button class="danger" type="submit">Revoke the agent</button>
      <a href="/dashboard/agents">Keep it</a>
    </p>
  </form>
`
