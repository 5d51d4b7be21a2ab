import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Connection } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** The actor of a write: a key, a user of the dashboard, the operator on the machine, or the product by itself. */
export type Actor =
  | { kind: 'key' | 'user'; id: string; name: string; address: string }
  | { kind: 'operator' | 'system' }

export type AuditEntry = {
  accountId: string
  /** The name of the route or of the operator's action. */
  action: string
  resourceType: string
  resourceId: string
}

/** The stored name of the product as an actor; the operator is named `operator`. */
export const systemName = 'Probe Mesh'

/** A stored audit entry. */
export type AuditRecord = AuditEntry & {
  id: string
  atMs: number
  actor: { kind: Actor['kind']; id: string | null; name: string; address: string | null }
}

/** Inserts an audit entry, in the transaction of its write. */
export const insertAudit = (db: Connection, actor: Actor, entry: AuditEntry, nowMs: number): Promise<void> =>
  insertAudits(db, actor, entry, [entry.resourceId], nowMs)

/** Inserts an audit entry for each of these resources, in the transaction of their write. */
export const insertAudits = async (
  db: Connection,
  actor: Actor,
  entry: Omit<AuditEntry, 'resourceId'>,
  resourceIds: readonly string[],
  nowMs: number,
): Promise<void> => {
  if (resourceIds.length === 0) return
  const { id, name, address } =
    'id' in actor
      ? actor
      : { id: null, name: actor.kind === 'system' ? systemName : 'operator', address: null }
  // earlier versions know no other kind
  const kind = actor.kind === 'system' ? 'operator' : actor.kind
  await db`
    insert into audit_log (id, account_id, at, actor_kind, actor_id, actor_name, address, action,
      resource_type, resource_id)
    select entry_id, ${entry.accountId}, ${new Date(nowMs)}, ${kind}, ${id}, ${name}, ${address},
      ${entry.action}, ${entry.resourceType}, resource_id
    from unnest(${resourceIds.map(() => uuidv7(nowMs))}::uuid[], ${[...resourceIds]}::text[])
      as entry (entry_id, resource_id)`
}

/**
 * An account's writes, newest first.
 * @param options.what,options.who literal text, in any case; empty finds all
 * @param options.before the id of an entry: finds only older ones, and none if the account has no such entry
 */
export const findAudit = async (
  db: Connection,
  accountId: string,
  {
    limit,
    what = '',
    who = '',
    before = null,
  }: { limit: number; what?: string; who?: string; before?: string | null },
): Promise<AuditRecord[]> =>
  await db<AuditRecord[]>`
    select id, account_id as "accountId", ${epochMs(db, 'at')} as "atMs", action,
      json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name, 'address', address) as actor,
      resource_type as "resourceType", resource_id as "resourceId"
    from audit_log where account_id = ${accountId}
      and strpos(lower(concat_ws(' ', action, resource_type, resource_id)), lower(${what})) > 0
      and strpos(lower(concat_ws(' ', actor_kind, actor_name, address)), lower(${who})) > 0
      and (${before}::uuid is null or (at, id) < (
        select known.at, known.id from audit_log as known
        where known.id = ${before} and known.account_id = ${accountId}))
    order by at desc, id desc limit ${limit}`
