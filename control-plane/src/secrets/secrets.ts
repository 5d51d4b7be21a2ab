import {
  hostsBeyond,
  maySendTo,
  secretsPerAccountMax,
  type Secret,
} from '@probe-mesh/contracts/secret/secret'
import type { CreateSecretInput, UpdateSecretInput } from '@probe-mesh/contracts/secret/secret-routes'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import { lockChecks } from '../check-record/checks-store.ts'
import type { CheckRecord } from '../check-record/check-record.ts'
import { openRevisions } from '../check-record/many-checks-store.ts'
import { secretUses } from '../check-record/secret-uses.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertNewSecrets } from './new-secrets.ts'
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
export type SecretContext = Pick<AccountContext, 'sql' | 'now'> & { readonly vault: Vault }

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

/** Stores a secret. SV-3002 for a name that another one has, in any case, and for too many. */
export const createSecret = (
  context: SecretContext,
  writer: Writer,
  { body: { name, value, hosts } }: { body: CreateSecretInput },
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
    const secret = { id, accountId, name, hosts: unique(hosts), createdAtMs: nowMs }
    await insertNewSecrets(tx, context.vault, [{ ...secret, value }])
    return describe({ ...secret, updatedAtMs: nowMs }, [])
  })
}

const taken = 'Another secret has this name.'
const nameTaken = refuse('SV-3002', { message: taken, errors: [{ path: 'name', message: taken }] })
const tooMany = refuse('SV-3002', {
  message: `The limit of ${secretsPerAccountMax} secrets is reached. Delete one that no check uses first.`,
})

/**
 * Replaces the value or the hosts. Every check that uses it gets a new revision in the same transaction, so that its
 * agents take it. SV-2001 for further hosts without the value, SV-3001 for an unknown secret, SV-3002 for hosts without one that a check sends it to.
 */
export const updateSecret = (
  context: SecretContext,
  writer: Writer,
  { params: { id }, body }: { params: { id: string }; body: UpdateSecretInput },
): Promise<Secret | Refusal> => {
  const { accountId } = writer
  const audit = { action: 'updateSecret', resourceType: 'secret', resourceId: () => id, answer: asIs }
  return write(context, writer, audit, async (tx) => {
    const before = await lockSecret(tx, accountId, id)
    if (before === null) return refuse('SV-3001')
    const checks = await lockUsers(tx, before)
    const { hosts = before.hosts, value } = body
    const refused =
      (value === undefined ? refuseUnproven(hostsBeyond(hosts, before.hosts)) : null) ??
      refuseHosts(checks, { name: before.name, hosts })
    if (refused !== null) return refused
    const nowMs = context.now()
    const next = { ...before, hosts: unique(hosts), updatedAtMs: nowMs }
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

/** SV-2001 for hosts that could not get the secret before: who adds them has to know it. */
const refuseUnproven = (hosts: readonly string[]): Refusal | null => {
  if (hosts.length === 0) return null
  const message = `must be entered again, since the secret could not be sent to ${hosts.join(', ')} before`
  return refuse('SV-2001', { errors: [{ path: 'value', message }] })
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

const unique = (hosts: readonly string[]): string[] => [...new Set(hosts)]

const usersOf = (
  { name }: Pick<SecretRecord, 'name'>,
  users: readonly { checkId: string; names: readonly string[] }[],
): string[] => users.flatMap(({ checkId, names }) => (names.includes(name) ? [checkId] : []))

const describe = (
  { id, name, hosts, createdAtMs, updatedAtMs }: SecretRecord,
  usedBy: readonly string[],
): Secret => ({
  id,
  name,
  hosts: [...hosts],
  usedBy: [...usedBy],
  createdAt: new Date(createdAtMs).toISOString(),
  updatedAt: new Date(updatedAtMs).toISOString(),
})

const asIs = (secret: Secret): Secret => secret
