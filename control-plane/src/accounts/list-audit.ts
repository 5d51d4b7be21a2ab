import type { AuditEntry, AuditQuery } from '@probe-mesh/contracts/account/audit'
import { findAudit, systemName, type AuditRecord } from './operations/audit-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from './operations/context.ts'

/** Lists the audit entries of the account, newest first. */
export const listAudit = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { what, who, before, limit } }: { query: AuditQuery },
): Promise<{ entries: AuditEntry[] }> => {
  const records = await inAccount(sql, accountId, (tx) =>
    findAudit(tx, accountId, { what, who, before: before ?? null, limit }),
  )
  return { entries: records.map(describeEntry) }
}

const describeEntry = (record: AuditRecord): AuditEntry => ({
  id: record.id,
  at: new Date(record.atMs).toISOString(),
  actor: isSystem(record) ? { ...record.actor, kind: 'system' } : record.actor,
  action: record.action,
  resourceType: record.resourceType,
  resourceId: record.resourceId,
})

const isSystem = ({ actor: { kind, name } }: AuditRecord): boolean =>
  kind === 'operator' && name === systemName
