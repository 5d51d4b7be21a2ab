import { isMeshUrl, type CreatedAgent, type PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { describePrivateAgent, type PrivateAgentRecord } from './private-agent.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import {
  findPrivateAgent,
  findPrivateAgents,
  countOpenPrivateAgents,
  insertPrivateAgent,
  lockChecksWithSecrets,
  lockPrivateAgent,
  notifyPrivateAgentChanged,
  updatePrivateAgentToken,
  updatePrivateAgentRevoked,
} from './private-agents-store.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { lockAccount } from '../accounts/accounts-store.ts'
import { pageOf } from '../accounts/operations/page-of.ts'
import { write } from '../accounts/operations/write.ts'
import { createHash, randomBytes } from 'node:crypto'
import { formatAgentToken } from '@probe-mesh/contracts/account/key-text'
import { regionKeyOfToken } from '@probe-mesh/contracts/agent/agent-seal'
import { agentKeyOwner, forgetReader, secretsNaming, storeAgentKey } from '../secrets/agent-keys-store.ts'
import { isFreshLogin, type TellReaders } from '../secrets/readers.ts'
import { raiseRevisions } from '../secrets/secrets-store.ts'
import { openRevisions } from '../records/check/many-checks-store.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The private agents of an account, oldest first, including revoked ones. */
export const listAgents = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: RouteInput<'listAgents'>,
): Promise<{ agents: PrivateAgent[]; nextCursor: string | null } | Refusal> => {
  const agents = await inAccount(sql, accountId, (tx) => findPrivateAgents(tx, accountId))
  const page = pageOf(
    agents.map((agent) => describePrivateAgent(agent, now())),
    query,
  )
  return isRefusal(page) ? page : { agents: page.entries, nextCursor: page.nextCursor }
}

/** One private agent, also a revoked one. */
export const getAgent = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: RouteInput<'getAgent'>,
): Promise<PrivateAgent | Refusal> => {
  const agent = await inAccount(sql, accountId, (tx) => findPrivateAgent(tx, accountId, id))
  return agent === null ? refuse('SV-3001') : describePrivateAgent(agent, now())
}

/** The vault keeps what seals the secrets of the agent's checks, which only its token gives. */
type TokenContext = Pick<AccountContext, 'sql' | 'now' | 'rules'> & {
  readonly vault: Vault
  readonly tellReaders: TellReaders
}

const keepKey = (
  vault: Vault,
  tx: Transaction,
  agent: Pick<PrivateAgentRecord, 'id' | 'accountId'>,
  token: string,
): Promise<void> => storeAgentKey(tx, agent, vault.seal(regionKeyOfToken(token), agentKeyOwner(agent.id)))

/** Agents take a check again only with a new revision, and the former token's key no longer opens its secrets. */
const resealChecks = async (
  tx: Transaction,
  agent: Pick<PrivateAgentRecord, 'id' | 'accountId'>,
  nowMs: number,
): Promise<void> => {
  const checkIds = await lockChecksWithSecrets(tx, agent)
  await raiseRevisions(tx, checkIds, nowMs)
  await openRevisions(tx, checkIds)
}

/**
 * Creates a private agent. Its token is shown only once, so a repeated request is not answered with it.
 * SV-4001 if the limit of agents is reached (S-2901). SV-3002 if no agent would connect to the URL of this service.
 */
export const createAgent = async (
  context: TokenContext,
  writer: Writer,
  { body }: RouteInput<'createAgent'>,
): Promise<CreatedAgent | Refusal> => {
  const meshUrl = context.rules.publicUrl
  if (!isMeshUrl(meshUrl)) return refuse('SV-3002', { message: needsTls(meshUrl) })
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
        message: `The limit of ${agents} private ${agents === 1 ? 'agent' : 'agents'} of the ${account.tier} plan is reached.`,
      })
    }
    await insertPrivateAgent(tx, agent, tokenHash)
    await keepKey(context.vault, tx, agent, token)
    return { agent: describePrivateAgent(agent, nowMs), token, meshUrl }
  })
}

const needsTls = (publicUrl: string): string =>
  `A private agent sends its token over https only, and PUBLIC_URL of this service is ${publicUrl}. The operator serves it by TLS (TLS_CERT and TLS_KEY, or a proxy with a certificate) and sets PUBLIC_URL to its https:// address.`

/**
 * Gives a private agent a new token and cuts off the former one. SV-3002 if it is revoked. SV-1013 if secrets name it,
 * since the new token opens them, unless a member has just logged in; the members are told then.
 */
export const rotateAgent = (
  context: TokenContext,
  writer: Caller,
  { params: { id } }: RouteInput<'rotateAgent'>,
): Promise<CreatedAgent | Refusal> => {
  const { token, tokenHash, hint } = newAgentToken(id)
  const name = { action: 'rotateAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const agent = await lockPrivateAgent(tx, writer.accountId, id)
    if (agent === null) return refuse('SV-3001')
    if (agent.revokedAtMs !== null) {
      return refuse('SV-3002', { message: 'This agent is revoked. Create another agent.' })
    }
    const rotatedAtMs = context.now()
    const secrets = await secretsNaming(tx, agent)
    if (secrets.length > 0) {
      if (!isFreshLogin(writer, rotatedAtMs)) return refuse('SV-1013', { message: opensSecrets(agent.name) })
      const news = { by: writer.keyName, secrets, agents: [agent.name], nowMs: rotatedAtMs }
      await context.tellReaders(tx, { accountId: writer.accountId, ...news })
    }
    await updatePrivateAgentToken(tx, id, { tokenHash, hint, rotatedAtMs })
    await keepKey(context.vault, tx, agent, token)
    await resealChecks(tx, agent, rotatedAtMs)
    await notifyPrivateAgentChanged(tx, id)
    const rotated = describePrivateAgent({ ...agent, hint, rotatedAtMs }, rotatedAtMs)
    const { publicUrl } = context.rules
    // the agent runs already, and has a URL that it accepts
    const meshUrl = isMeshUrl(publicUrl) ? publicUrl : publicUrl.replace(/^http:/, 'https:')
    return { agent: rotated, token, meshUrl }
  })
}

const opensSecrets = (name: string): string =>
  `Secrets name the agent ${name}, and a new token opens them. A member replaces the token in the dashboard within 10 minutes of a login. An API key can revoke the agent.`

/**
 * Revokes a private agent at once. Its checks stay, become stale, and can be moved to another agent. No secret names it
 * any more. Revoking again changes nothing.
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
    await forgetReader(tx, agent)
    await notifyPrivateAgentChanged(tx, id)
    return describePrivateAgent({ ...agent, revokedAtMs }, nowMs)
  })
}

const secretBytes = 32

/** A new token of a private agent, with its stored form. */
const newAgentToken = (agentId: string): { token: string; tokenHash: Uint8Array; hint: string } => {
  const token = formatAgentToken(agentId, randomBytes(secretBytes))
  return { token, tokenHash: hashAgentToken(token), hint: `sv_a_…${token.slice(-4)}` }
}

/** 256 random bits need no slow hash, and are looked up by equality. */
const hashAgentToken = (token: string): Uint8Array => createHash('sha256').update(token).digest()
