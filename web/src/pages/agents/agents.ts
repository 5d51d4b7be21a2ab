import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import type { Html } from '@probe-mesh/runtime/html'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { agentsPage, revokePage, rotatePage, shownToken, ShownToken, tokenPage } from './agents-page.ts'

const listPath = '/dashboard/agents'
/** Shows a token once; a reload redirects to the list. */
const tokenPath = '/dashboard/agents/token'
const area = 'agents'

const list = async (ask: Ask, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('listAgents', {})
  if (!answer.ok) return refused(answer)
  const main = agentsPage(answer.value.agents, form)
  const about = 'Agents on your own machines, for targets inside your network.'
  return { kind: 'page', title: 'Private agents', area, about, status, main }
}

/** A confirmation page for an agent that is not revoked. */
const confirming = (
  act: 'rotate' | 'revoke',
  title: string,
  page: (agent: PrivateAgent) => Html,
): MemberRoute => ({
  method: 'GET',
  path: `${listPath}/:id/${act}`,
  serve: async ({ ask, params }) => {
    const answer = await ask('listAgents', {})
    if (!answer.ok) return refused(answer)
    const agent = answer.value.agents.find(({ id }) => id === params['id'])
    if (agent === undefined || agent.revokedAt !== null) return { kind: 'elsewhere', path: listPath }
    return { kind: 'page', title, area, main: page(agent) }
  },
})

/** Private agents: listed with their presence, enrolled with a token shown once, rotated, revoked. */
export const agentRoutes: readonly MemberRoute[] = [
  get(listPath, ({ ask }) => list(ask, emptyForm)),
  post(listPath, async ({ ask, form }) => {
    const typed = { name: form.get('name') ?? '' }
    const answer = await ask('createAgent', { body: typed })
    if (!answer.ok) {
      return list(ask, refusedForm(typed, answer.problem), answer.problem.status)
    }
    return { kind: 'elsewhere', path: tokenPath, note: shownToken(answer.value) }
  }),
  get(tokenPath, async ({ recallNote }) => {
    const shown = recallNote(ShownToken)
    if (shown === null) return { kind: 'elsewhere', path: listPath }
    return { kind: 'page', title: 'Agent token', area, main: tokenPage(shown) }
  }),
  confirming('rotate', 'Replace the token?', rotatePage),
  post(`${listPath}/:id/rotate`, async ({ ask, params }) => {
    const answer = await ask('rotateAgent', { params: { id: params['id'] ?? '' } })
    if (!answer.ok) return refused(answer)
    return { kind: 'elsewhere', path: tokenPath, note: shownToken(answer.value) }
  }),
  confirming('revoke', 'Revoke this agent?', revokePage),
  post(`${listPath}/:id/revoke`, async ({ ask, params }) => {
    const answer = await ask('revokeAgent', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path: listPath, done: 'agent-revoked' } : refused(answer)
  }),
]
