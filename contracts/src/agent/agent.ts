import { z } from 'zod'
import { AgentReport } from './agent-report.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'
import type { Route } from '../schema/route.ts'

/** Silent for longer than this a private agent is `away`, ms. */
export const agentSilentMsMax = 30_000

/** Whether a private agent is there, by when it was heard of last. */
export const AgentPresenceState = z.enum(['never', 'present', 'away', 'revoked'])
export type AgentPresenceState = z.infer<typeof AgentPresenceState>

/**
 * An agent of an account (S-2901): it measures from inside the
 * account's network, and is a region of itself alone. Its token is shown once.
 */
export const PrivateAgent = z.object({
  id: z.string(),
  name: z.string(),
  /** What the `regions` of a check say that it measures. */
  region: z.string().regex(/^private-/),
  presence: AgentPresenceState,
  /** What it runs; null before it was heard of. */
  version: z.string().nullable(),
  lastSeenAt: Instant.nullable(),
  /** Checks that run from it. */
  checks: z.int(),
  /** What it told of itself last; null where it told nothing. */
  report: AgentReport.nullable(),
  hint: z.string(),
  createdAt: Instant,
  rotatedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
})
export type PrivateAgent = z.infer<typeof PrivateAgent>

export const AgentParams = z.object({ id: Uuid })

export const CreateAgentInput = z.strictObject({ name: Line })
export type CreateAgentInput = z.infer<typeof CreateAgentInput>

/** Shown once: what the agent's file `AGENT_CREDENTIALS` holds, and where it reports to. */
export const CreatedAgent = z.object({
  agent: PrivateAgent,
  token: z.string(),
  meshUrl: z.string(),
})
export type CreatedAgent = z.infer<typeof CreatedAgent>

/** Agents of an account's own, which measure from inside its network. */
export const agentRoutes = {
  listAgents: {
    method: 'GET',
    path: '/agents',
    scope: 'read',
    budget: 'reads',
    summary: 'Private agents of the account, whether each is there, revoked ones included',
    success: 200,
    output: z.object({ agents: z.array(PrivateAgent) }),
  },
  createAgent: {
    method: 'POST',
    path: '/agents',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Enrol a private agent; its token is shown this once',
    success: 201,
    body: CreateAgentInput,
    output: CreatedAgent,
    secret: true,
    codes: ['SV-4001'],
  },
  rotateAgent: {
    method: 'POST',
    path: '/agents/:id/rotate',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Give a private agent a new token; the former one ends at once',
    success: 200,
    params: AgentParams,
    output: CreatedAgent,
    secret: true,
    codes: ['SV-3002'],
  },
  revokeAgent: {
    method: 'DELETE',
    path: '/agents/:id',
    scope: 'read_write',
    budget: 'writes',
    summary: 'Let a private agent in no more; its checks go stale and keep their history',
    success: 200,
    params: AgentParams,
    output: PrivateAgent,
  },
} as const satisfies Record<string, Route>
