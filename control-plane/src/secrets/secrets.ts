import { secretsPerAccountMax, type Secret } from '@probe-mesh/contracts/secret/secret'
import { entryOfParts, hostsBeyond, maySendTo, partsOfEntry } from '@probe-mesh/contracts/secret/secret-host'
import type { CreateSecretInput, UpdateSecretInput } from '@probe-mesh/contracts/secret/secret-routes'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import { lockChecks } from '../records/check/checks-store.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { openRevisions } from '../records/check/many-checks-store.ts'
import { secretUses } from '../records/check/secret-uses.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertNewSecrets } from './new-secrets.ts'
import { auditReaders, checkReaders, isFreshLogin, type TellReaders } from './readers.ts'
import { findReaders, type Reader } from './agent-keys-store.ts'
import {
  deleteSecretRow,
  findSecrets,
  findSecretUsers,
  lockSecret,
  raiseRevisions,
  secretOwner,
  updateSecretRow,
  type SealedSecret,
  type SecretRecord,
} from './secrets-store.ts'
import type { Vault } from './vault.ts'

/** What the operations on secrets need. */
export type SecretContext = Pick<AccountContext, 'sql' | 'now'> & {
  readonly vault: Vault
  readonly tellReaders: TellReaders
}

type Member = Writer & Pick<Caller, 'keyName' | 'loggedInAtMs'>

/** The secrets of the account by name. */
export const listSecrets = (
  { sql }: Pick<SecretContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ secrets: Secret[] }> =>
  inAccount(sql, accountId, async (tx) => {
    const found = await findSecrets(tx, accountId)
    const users = await findSecretUsers(tx, accountId)
    return { secrets: found.map((secret) => describe(secret, usersOf(secret, users))) }
  })

/** Stores a secret. SV-2001 for agents that the account does not have, SV-3002 for a name that another one has, in any case, and for too many. */
export const createSecret = (
  context: SecretContext,
  writer: Member,
  { body: { name, value, hosts, agents: ids } }: { body: CreateSecretInput },
): Promise<Secret | Refusal> => {
  const { accountId } = writer
  const nowMs = context.now()
  const id = uuidv7(nowMs)
  const audit = { action: 'createSecret', resourceType: 'secret', resourceId: () => id, answer: asIs }
  return write(context, writer, audit, async (tx) => {
    // the lock keeps names and count valid until the insert
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    const others = await findSecrets(tx, accountId)
    if (others.some((each) => each.name.toLowerCase() === name.toLowerCase())) return nameTaken
    if (others.length >= secretsPerAccountMax) return tooMany
    const { agents, problems } = await checkReaders(tx, accountId, { ids, path: 'agents' })
    if (problems.length > 0) return refuse('SV-2001', { errors: problems })
    const agentIds = agents.map((agent) => agent.id)
    const secret = { id, accountId, name, hosts: entriesOf(hosts), agents: agentIds, createdAtMs: nowMs }
    await insertNewSecrets(tx, context.vault, [{ ...secret, value }])
    await noteReaders(context, tx, writer, { secret: name, added: agents, removed: [] })
    return describe({ ...secret, updatedAtMs: nowMs }, [])
  })
}

const taken = 'Another secret has this name.'
const nameTaken = refuse('SV-3002', { message: taken, errors: [{ path: 'name', message: taken }] })
const tooMany = refuse('SV-3002', {
  message: `The limit of ${secretsPerAccountMax} secrets is reached. Delete one that no check uses first.`,
})

/**
 * Replaces the value, the hosts or the agents. Every check that uses it gets a new revision in the same transaction, so
 * that its agents take it. SV-2001 for further hosts without the value, for further agents without the value or a fresh
 * login and for unknown agents, SV-3001 for an unknown secret, SV-3002 for hosts without one that a check sends it to.
 */
export const updateSecret = (
  context: SecretContext,
  writer: Member,
  { params: { id }, body }: { params: { id: string }; body: UpdateSecretInput },
): Promise<Secret | Refusal> => {
  const { accountId } = writer
  const audit = { action: 'updateSecret', resourceType: 'secret', resourceId: () => id, answer: asIs }
  return write(context, writer, audit, async (tx) => {
    const before = await lockSecret(tx, accountId, id)
    if (before === null) return refuse('SV-3001')
    const checks = await lockUsers(tx, before)
    const { value } = body
    const hosts = entriesOf(body.hosts ?? before.hosts)
    const nowMs = context.now()
    const readers = await changedReaders(tx, before, body.agents)
    const isProven = value !== undefined || isFreshLogin(writer, nowMs)
    const problems = [
      ...(value === undefined ? unprovenHosts(hostsBeyond(hosts, before.hosts)) : []),
      ...(isProven ? [] : unprovenReaders(readers.added)),
      ...readers.problems,
    ]
    const refused =
      problems.length > 0
        ? refuse('SV-2001', { errors: problems })
        : refuseHosts(checks, { name: before.name, hosts })
    if (isRefusal(refused)) return refused
    await noteReaders(context, tx, writer, { secret: before.name, ...readers })
    const next = { ...before, hosts, agents: readers.ids, updatedAtMs: nowMs }
    await updateSecretRow(tx, value === undefined ? next : sealed(context.vault, next, value))
    const checkIds = checks.map(({ id }) => id)
    await raiseRevisions(tx, checkIds, nowMs)
    await openRevisions(tx, checkIds)
    return describe(next, checkIds)
  })
}

/** Deletes a secret. SV-3001 for an unknown secret, SV-3002 while a check uses it. */
export const deleteSecret = (
  context: SecretContext,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = { action: 'deleteSecret', resourceType: 'secret', resourceId: () => id }
  return write(context, writer, audit, async (tx) => {
    const secret = await lockSecret(tx, writer.accountId, id)
    if (secret === null) return refuse('SV-3001')
    const users = await lockUsers(tx, secret)
    if (users.length > 0) {
      const message = `${listed(users)} ${users.length === 1 ? 'uses' : 'use'} this secret. Remove it from the ${users.length === 1 ? 'check' : 'checks'} first.`
      return refuse('SV-3002', { message })
    }
    await deleteSecretRow(tx, id)
    return { id, deleted: true } as const
  })
}

/** The checks that use a locked secret, locked as well. */
const lockUsers = async (tx: Transaction, { accountId, name }: SecretRecord): Promise<CheckRecord[]> => {
  const users = usersOf({ name }, await findSecretUsers(tx, accountId))
  return users.length === 0 ? [] : [...(await lockChecks(tx, accountId, users)).values()]
}

/** Hosts that could not get the secret before: who adds them has to know it. */
const unprovenHosts = (hosts: readonly string[]): FieldProblem[] => {
  const message = `must be entered again, since the secret could not be sent to ${hosts.join(', ')} before`
  return hosts.length === 0 ? [] : [{ path: 'value', message }]
}

const unprovenReaders = (agents: readonly Reader[]): FieldProblem[] => {
  const names = agents.map(({ name }) => name).join(', ')
  const message = `must be entered again, since ${names} could not open the secret before; or log out and in again, which proves it for 10 minutes`
  return agents.length === 0 ? [] : [{ path: 'value', message }]
}

type ChangedReaders = { ids: string[]; added: Reader[]; removed: Reader[]; problems: FieldProblem[] }

/** @param ids the agents that are named from now on; undefined: as before */
const changedReaders = async (
  tx: Transaction,
  { accountId, agents: before }: SecretRecord,
  ids: readonly string[] | undefined,
): Promise<ChangedReaders> => {
  if (ids === undefined) return { ids: [...before], added: [], removed: [], problems: [] }
  const { agents, problems } = await checkReaders(tx, accountId, { ids, path: 'agents' })
  const gone = before.filter((id) => !ids.includes(id))
  return {
    ids: agents.map(({ id }) => id),
    added: agents.filter(({ id }) => !before.includes(id)),
    removed: await findReaders(tx, accountId, gone),
    problems,
  }
}

const noteReaders = async (
  { tellReaders, now }: SecretContext,
  tx: Transaction,
  writer: Member,
  { secret, added, removed }: { secret: string; added: readonly Reader[]; removed: readonly Reader[] },
): Promise<void> => {
  const { accountId, keyName: by } = writer
  const nowMs = now()
  await auditReaders(tx, writer, { secret, agents: added, action: 'addSecretAgent' }, nowMs)
  await auditReaders(tx, writer, { secret, agents: removed, action: 'removeSecretAgent' }, nowMs)
  if (added.length === 0) return
  await tellReaders(tx, { accountId, by, secrets: [secret], agents: added.map(({ name }) => name), nowMs })
}

/** SV-3002 if a check sends the secret to a host that is not among these. */
const refuseHosts = (
  checks: readonly CheckRecord[],
  { name, hosts }: { name: string; hosts: readonly string[] },
): Refusal | null => {
  const sending = checks.filter((check) =>
    secretUses(check).some(({ names, url }) => names.includes(name) && !mayReach(hosts, url)),
  )
  if (sending.length === 0) return null
  const message = `${listed(sending)} ${sending.length === 1 ? 'sends' : 'send'} this secret to a host that is not listed. Keep the host, or change the ${sending.length === 1 ? 'check' : 'checks'} first.`
  return refuse('SV-3002', { message, errors: [{ path: 'hosts', message }] })
}

const mayReach = (hosts: readonly string[], url: string): boolean =>
  URL.canParse(url) && maySendTo(hosts, new URL(url))

/** Checks named in a message. */
const listedMax = 5

const listed = (checks: readonly Pick<CheckRecord, 'name'>[]): string => {
  const names = checks.slice(0, listedMax).map(({ name }) => `“${name}”`)
  const more = checks.length - names.length
  return `The ${checks.length === 1 ? 'check' : 'checks'} ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

const sealed = (vault: Vault, secret: SecretRecord, value: string): SealedSecret => ({
  ...secret,
  value: vault.seal(value, secretOwner(secret)),
})

const entriesOf = (hosts: readonly string[]): string[] => [
  ...new Set(hosts.map((entry) => entryOfParts(partsOfEntry(entry)))),
]

const usersOf = (
  { name }: Pick<SecretRecord, 'name'>,
  users: readonly { checkId: string; names: readonly string[] }[],
): string[] => users.flatMap(({ checkId, names }) => (names.includes(name) ? [checkId] : []))

const describe = (
  { id, name, hosts, agents, createdAtMs, updatedAtMs }: SecretRecord,
  usedBy: readonly string[],
): Secret => ({
  id,
  name,
  hosts: [...hosts],
  agents: [...agents],
  usedBy: [...usedBy],
  createdAt: new Date(createdAtMs).toISOString(),
  updatedAt: new Date(updatedAtMs).toISOString(),
})

const asIs = (secret: Secret): Secret => secret
