import { z } from 'zod'
import { AgentReport } from './agent-report.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/instant.ts'
import { Line } from '../schema/text.ts'

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
