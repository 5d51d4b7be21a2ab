import { z } from 'zod'
import { AgentParams, CreateAgentInput, CreatedAgent, PrivateAgent } from './agent.ts'
import type { Route } from '../schema/route.ts'

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
