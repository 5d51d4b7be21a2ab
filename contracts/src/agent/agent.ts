import { hostOf, isLoopback } from '@probe-mesh/runtime/proxy'
import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { AgentReport } from './agent-report.ts'
import { id, Uuid } from '../schema/ids.ts'
import { NameFilter, nextCursor, pageParameters } from '../schema/list.ts'
import { Instant, Line } from '../schema/text.ts'
import { read, write, type Route } from '../schema/route.ts'

/** A private agent without a report for this time is `away`, ms. */
export const agentSilentMsMax = 30_000

/** The presence of a private agent, by the time of its last report. */
export const AgentPresenceState = z.enum(['never', 'present', 'away', 'revoked'])
export type AgentPresenceState = z.infer<typeof AgentPresenceState>

/**
 * A private agent of an account (S-2901). It measures from inside the account's network and is a region of its
 * own. Its token is shown once.
 */
export const PrivateAgent = z.object({
  id,
  name: field(z.string(), 'Name of the agent.', 'Office'),
  region: field(
    z.string().regex(/^private-/),
    'Name of the agent in the `regions` of a check.',
    'private-6f2a2f0c-3c3e-4d5e-9a51-0f1f6a1f7c11',
  ),
  presence: field(AgentPresenceState, 'Whether it reports: `away` after 30 s without a report.', 'present'),
  version: field(z.string().nullable(), 'Version of its program. null before the first report.', '1.0.0'),
  lastSeenAt: field(Instant.nullable(), 'Last report.'),
  checks: field(z.int(), 'Number of checks that it runs.', 3),
  report: field(AgentReport.nullable(), "The agent's last report about itself. null without one."),
  hint: field(z.string(), 'Enough to recognise its token.', 'sv_a_…3f0c'),
  createdAt: field(Instant, 'When it was created.'),
  rotatedAt: field(Instant.nullable(), 'When its token was last replaced.', null),
  revokedAt: field(Instant.nullable(), 'When it was revoked.', null),
})
export type PrivateAgent = z.infer<typeof PrivateAgent>
components.add(PrivateAgent, { id: 'Agent' })

/**
 * Whether an agent connects to this URL. It sends its token there: https only, except on its own machine; without
 * credentials, query and fragment.
 */
export const isMeshUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)))
}

const AgentParams = z.object({ id: field(Uuid, 'Id of the agent.') })

const CreateAgentInput = z.strictObject({ name: field(Line, 'Name of the agent.', 'Office') })

/** Shown once: the content of the agent's `AGENT_CREDENTIALS` file and the URL that it connects to. */
export const CreatedAgent = z.object({
  agent: field(PrivateAgent, 'Private agent.'),
  token: field(z.string(), 'Content of `AGENT_CREDENTIALS`. Shown once.', 'sv_a_…'),
  meshUrl: field(z.string(), 'URL that the agent connects to.', 'https://status.example.com'),
})
export type CreatedAgent = z.infer<typeof CreatedAgent>

export const agentRoutes = {
  listAgents: read({
    path: '/agents',
    summary: 'Private agents of the account with their presence, including revoked ones',
    query: z.strictObject({
      ...pageParameters,
      name: field(NameFilter.optional(), 'Part of the name, in any case.', 'office'),
      presence: field(AgentPresenceState.optional(), 'Only agents in this state.', 'present'),
    }),
    output: z.object({
      agents: field(z.array(PrivateAgent), 'Private agents, including revoked ones.'),
      nextCursor,
    }),
  }),
  createAgent: write({
    method: 'POST',
    path: '/agents',
    summary: 'Create a private agent; its token is shown once',
    success: 201,
    body: CreateAgentInput,
    output: CreatedAgent,
    location: '/agents/:$agent.id',
    secret: true,
    codes: ['SV-3002', 'SV-4001'],
  }),
  getAgent: read({
    path: '/agents/:id',
    summary: 'One private agent with its presence and last report',
    params: AgentParams,
    output: PrivateAgent,
  }),
  rotateAgent: write({
    method: 'POST',
    path: '/agents/:id/rotate',
    summary: 'Create a new token for a private agent; the old one stops working at once',
    params: AgentParams,
    output: CreatedAgent,
    secret: true,
    codes: ['SV-1013', 'SV-3002'],
  }),
  revokeAgent: write({
    method: 'DELETE',
    path: '/agents/:id',
    summary: 'Revoke a private agent; its checks become stale and keep their history',
    params: AgentParams,
    output: PrivateAgent,
  }),
} as const satisfies Record<string, Route>
