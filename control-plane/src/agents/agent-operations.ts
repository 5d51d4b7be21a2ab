import type { PrivateAgent, CreatedAgent } from '@probe-mesh/contracts/agent/agent'
import { describePrivateAgent } from './private-agent.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import {
  findPrivateAgents,
  countOpenPrivateAgents,
  insertPrivateAgent,
  lockPrivateAgent,
  notifyPrivateAgentChanged,
  updatePrivateAgentToken,
  updatePrivateAgentRevoked,
} from './private-agents-store.ts'
import type { AccountContext, Caller, Writer } from '../operations/context.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { PrivateAgentRecord } from './private-agent.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { write } from '../operations/write.ts'
import { createHash, randomBytes } from 'node:crypto'
import { formatAgentToken } from '@probe-mesh/contracts/account/api-key'

/** An account's private agents, revoked ones included, oldest first. */
export const listAgents = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<{ agents: PrivateAgent[] }> => {
  const agents = await inAccount(sql, accountId, (tx) => findPrivateAgents(tx, accountId))
  return { agents: agents.map((agent) => describePrivateAgent(agent, now())) }
}

/**
 * Enrols a private agent. Its token is shown this once, so no repetition is answered with it: SV-4001
 * (S-2901).
 */
export const createAgent = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { body }: RouteInput<'createAgent'>,
): Promise<CreatedAgent | Refusal> => {
  const nowMs = context.now()
  const id = uuidv7(nowMs)
  const { token, tokenHash, hint } = newAgentToken(id)
  const agent: PrivateAgentRecord = {
    id,
    accountId: writer.accountId,
    name: body.name,
    hint,
    createdAtMs: nowMs,
    rotatedAtMs: null,
    revokedAtMs: null,
    version: null,
    lastSeenAtMs: null,
    report: null,
    checks: 0,
  }
  const name = { action: 'createAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const { agents } = context.rules.tiers[account.tier]
    if ((await countOpenPrivateAgents(tx, account.id)) >= agents) {
      return refuse('SV-4001', {
        message: `The ${account.tier} tier allows ${agents} private ${agents === 1 ? 'agent' : 'agents'}, and the account has as many.`,
      })
    }
    await insertPrivateAgent(tx, agent, tokenHash)
    const meshUrl = context.rules.publicUrl
    return { agent: describePrivateAgent(agent, nowMs), token, meshUrl }
  })
}

/** Gives a private agent a new token; who holds the former one is cut off. Revoked: SV-3002. */
export const rotateAgent = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { params: { id } }: RouteInput<'rotateAgent'>,
): Promise<CreatedAgent | Refusal> => {
  const { token, tokenHash, hint } = newAgentToken(id)
  const name = { action: 'rotateAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const agent = await lockPrivateAgent(tx, writer.accountId, id)
    if (agent === null) return refuse('SV-3001')
    if (agent.revokedAtMs !== null) {
      return refuse('SV-3002', { message: 'This agent was revoked: enrol another one.' })
    }
    const rotatedAtMs = context.now()
    await updatePrivateAgentToken(tx, id, { tokenHash, hint, rotatedAtMs })
    await notifyPrivateAgentChanged(tx, id)
    const rotated = describePrivateAgent({ ...agent, hint, rotatedAtMs }, rotatedAtMs)
    return { agent: rotated, token, meshUrl: context.rules.publicUrl }
  })
}

/**
 * Lets a private agent in no more, at once. Its checks stay, go stale, and can be given another agent.
 * Revoking again changes nothing.
 */
export const revokeAgent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'revokeAgent'>,
): Promise<PrivateAgent | Refusal> => {
  const name = { action: 'revokeAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const agent = await lockPrivateAgent(tx, writer.accountId, id)
    if (agent === null) return refuse('SV-3001')
    const nowMs = context.now()
    const revokedAtMs = agent.revokedAtMs ?? nowMs
    await updatePrivateAgentRevoked(tx, id, revokedAtMs)
    await notifyPrivateAgentChanged(tx, id)
    return describePrivateAgent({ ...agent, revokedAtMs }, nowMs)
  })
}

const secretBytes = 32

/** A token of a private agent, shown once, with what is stored of it. */
const newAgentToken = (agentId: string): { token: string; tokenHash: Uint8Array; hint: string } => {
  const token = formatAgentToken(agentId, randomBytes(secretBytes))
  return { token, tokenHash: hashAgentToken(token), hint: `sv_a_…${token.slice(-4)}` }
}

/** 256 random bits need no slow hash, and equality on it is the look-up. */
const hashAgentToken = (token: string): Uint8Array => createHash('sha256').update(token).digest()
