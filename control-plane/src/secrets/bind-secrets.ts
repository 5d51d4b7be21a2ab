import { privateAgentOf } from '@probe-mesh/contracts/reading/private-region'
import { entryOf, entryOfParts, partsOfEntry, unboundCovers } from '@probe-mesh/contracts/secret/secret-host'
import type { Logger } from 'pino'
import type { CheckRecord } from '../records/check/check-record.ts'
import { findChecksOf } from '../records/check/checks-store.ts'
import { secretUses } from '../records/check/secret-uses.ts'
import { insertAudits } from '../accounts/operations/audit-store.ts'
import { system } from '../accounts/operations/context.ts'
import type { Sql, Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findReaders } from './agent-keys-store.ts'
import { auditReaders } from './readers.ts'
import {
  bindSecretRow,
  boundEntries,
  findSecretUsers,
  findStoredHosts,
  type UnboundSecret,
} from './secrets-store.ts'

/**
 * Gives secrets of an earlier version what their checks use, so that nothing that works stops: the scheme and port of
 * each request, and the private agents that measure with them. Each grant is in the audit log of its account.
 * @returns the number of secrets
 */
export const bindSecrets = async (capabilities: {
  /** Sees every account. */
  sql: Sql
  now: () => number
  log: Pick<Logger, 'info'>
}): Promise<number> => {
  const { sql, now, log } = capabilities
  const accounts = new Set((await findStoredHosts(sql)).filter(isUnbound).map(({ accountId }) => accountId))
  let bound = 0
  let readers = 0
  for (const accountId of accounts) {
    const done = await transact(sql, (tx) => bindAccount(tx, accountId, now()))
    bound += done.secrets
    readers += done.readers
  }
  if (bound > 0) {
    const text =
      'secrets of an earlier version bound to the schemes, ports and private agents of their checks'
    log.info({ secrets: bound, accounts: accounts.size, readers }, `${text}; the audit logs list them`)
  }
  return bound
}

const isUnbound = (secret: UnboundSecret): boolean => secret.agents === null || boundEntries(secret) === null

const bindAccount = async (
  tx: Transaction,
  accountId: string,
  nowMs: number,
): Promise<{ secrets: number; readers: number }> => {
  const secrets = (await findStoredHosts(tx, accountId)).filter(isUnbound)
  const users = await findSecretUsers(tx, accountId)
  const checks = await findChecksOf(
    tx,
    accountId,
    users.map(({ checkId }) => checkId),
  )
  let readers = 0
  for (const secret of secrets) {
    const using = checks.filter((check) => secretUses(check).some(({ names }) => names.includes(secret.name)))
    const sentTo = boundEntries(secret) ?? boundHosts(secret, using)
    const measuring = using.flatMap(({ regions }) => privateAgentOf(regions[0] ?? '') ?? [])
    const agents =
      secret.agents === null
        ? (await findReaders(tx, accountId, [...new Set(measuring)])).filter(({ hasKey }) => hasKey)
        : []
    await bindSecretRow(tx, secret.id, { sentTo, agents: secret.agents ?? agents.map(({ id }) => id) })
    const audit = { accountId, action: 'bindSecretHosts', resourceType: 'secret' }
    const isNews = boundEntries(secret) === null
    const grants = isNews ? [`${secret.name} to ${sentTo.join(', ')}`] : []
    await insertAudits(tx, system.actor, audit, grants, nowMs)
    const added = { secret: secret.name, agents, action: 'addSecretAgent' } as const
    await auditReaders(tx, { ...system, accountId }, added, nowMs)
    readers += agents.length
  }
  return { secrets: secrets.length, readers }
}

/** Each host with https, and with the schemes and ports of the requests that it let pass. */
const boundHosts = (
  { name, hosts }: Pick<UnboundSecret, 'name' | 'hosts'>,
  checks: readonly Pick<CheckRecord, 'url' | 'config'>[],
): string[] => {
  const urls = checks.flatMap((check) =>
    secretUses(check).flatMap(({ names, url }) => (names.includes(name) ? (URL.parse(url) ?? []) : [])),
  )
  const entries = hosts.flatMap((host) => {
    const used = urls.filter((url) => unboundCovers(host, url))
    const named = partsOfEntry(host).host
    return [
      entryOfParts(partsOfEntry(host)),
      ...used.map((url) => entryOfParts({ ...partsOfEntry(entryOf(url)), host: named })),
    ]
  })
  return [...new Set(entries)]
}
