import { hostOf, isLoopback } from '@probe-mesh/runtime/proxy'
import { z } from 'zod'
import { AgentReport } from './agent-report.ts'
import { Uuid } from '../schema/ids.ts'
import { NameFilter, nextCursor, pageParameters } from '../schema/list.ts'
import { Instant, Line } from '../schema/text.ts'
import type { Route } from '../schema/route.ts'

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
  id: z.string(),
  name: z.string(),
  /** The name of the agent in the `regions` of a check. */
  region: z.string().regex(/^private-/),
  presence: AgentPresenceState,
  /** Its program version; null before the first report. */
  version: z.string().nullable(),
  lastSeenAt: Instant.nullable(),
  /** Number of checks that it runs. */
  checks: z.int(),
  /** Its last report; null without one. */
  report: AgentReport.nullable(),
  hint: z.string(),
  createdAt: Instant,
  rotatedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
})
export type PrivateAgent = z.infer<typeof PrivateAgent>

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

const AgentParams = z.object({ id: Uuid })

const CreateAgentInput = z.strictObject({ name: Line })

/** Shown once: the content of the agent's `AGENT_CREDENTIALS` file and the URL that it connects to. */
export const CreatedAgent = z.object({
  agent: PrivateAgent,
  token: z.string(),
  meshUrl: z.string(),
})
export type CreatedAgent = z.infer<typeof CreatedAgent>

export const agentRoutes = {
  listAgents: {
    method: 'GET',
    path: '/agents',
    scope: 'read',
    budget: 'reads',
    summary: 'Private agents of the account with their presence, including revoked ones',
    success: 200,
    query: z.strictObject({
      ...pageParameters,
      name: NameFilter.optional(),
      presence: AgentPresenceState.optional(),
    }),
    output: z.object({ agents: z.array(PrivateAgent), nextCursor }),
  },
  createAgent: {
    method: 'POST',
    path: '/agents',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create a private agent; its token is shown once',
    success: 201,
    body: CreateAgentInput,
    output: CreatedAgent,
    location: '/agents/:$agent.id',
    secret: true,
    codes: ['SV-3002', 'SV-4001'],
  },
  getAgent: {
    method: 'GET',
    path: '/agents/:id',
    scope: 'read',
    budget: 'reads',
    summary: 'One private agent with its presence and last report',
    success: 200,
    params: AgentParams,
    output: PrivateAgent,
  },
  rotateAgent: {
    method: 'POST',
    path: '/agents/:id/rotate',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Create a new token for a private agent; the old one stops working at once',
    success: 200,
    params: AgentParams,
    output: CreatedAgent,
    secret: true,
    codes: ['SV-1013', 'SV-3002'],
  },
  revokeAgent: {
    method: 'DELETE',
    path: '/agents/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Revoke a private agent; its checks become stale and keep their history',
    success: 200,
    params: AgentParams,
    output: PrivateAgent,
  },
} as const satisfies Record<string, Route>
