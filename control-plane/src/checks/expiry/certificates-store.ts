import type { CertificateRecord } from './certificates.ts'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** The certificates of these checks, by check. */
export const findCertificates = async (
  db: Connection,
  checkIds: readonly string[],
): Promise<Map<string, CertificateRecord[]>> => {
  const rows = await db<CertificateWrite[]>`
    select check_id as "checkId", region, ${epochMs(db, 'expires_at')} as "expiresAtMs",
      ${epochMs(db, 'valid_from')} as "validFromMs", issuer, names, name_count as "nameCount",
      ends_with as "endsWith", ${epochMs(db, 'seen_at')} as "seenAtMs"
    from check_certificates where check_id = any(${[...checkIds]}::uuid[])
    order by check_id, region`
  return Map.groupBy(rows, ({ checkId }) => checkId)
}

export type CertificateWrite = CertificateRecord & { checkId: string }

/**
 * Stores the certificates seen last. An older one never replaces a newer one; one with only an expiry keeps
 * the stored details if the expiry is the same.
 */
export const saveCertificates = async (sql: Sql, writes: readonly CertificateWrite[]): Promise<void> => {
  const rows = writes.map((each) => ({
    check_id: each.checkId,
    region: each.region,
    expires_at: new Date(each.expiresAtMs),
    valid_from: each.validFromMs === null ? null : new Date(each.validFromMs),
    issuer: each.issuer,
    names: each.names,
    name_count: each.nameCount,
    ends_with: each.endsWith,
    seen_at: new Date(each.seenAtMs),
  }))
  await sql`
    insert into check_certificates as kept (check_id, region, expires_at, valid_from, issuer, names, name_count, ends_with,
      seen_at)
    select new.check_id, region, expires_at, new.valid_from, issuer, names, name_count, ends_with, seen_at
    from jsonb_to_recordset(${sql.json(rows as never)}) as new (check_id uuid, region text, expires_at timestamptz,
        valid_from timestamptz, issuer text, names text[], name_count integer, ends_with text, seen_at timestamptz)
      join (select id from checks where id = any(${writes.map(({ checkId }) => checkId)}::uuid[])
        order by id for key share) as present on present.id = new.check_id
    order by new.check_id, region
    on conflict (check_id, region) do update set
      expires_at = excluded.expires_at, seen_at = excluded.seen_at,
      (valid_from, issuer, names, name_count, ends_with) = (
        select case when known then excluded.valid_from else kept.valid_from end,
          case when known then excluded.issuer else kept.issuer end,
          case when known then excluded.names else kept.names end,
          case when known then excluded.name_count else kept.name_count end,
          case when known then excluded.ends_with else kept.ends_with end
        from (select excluded.issuer is not null or excluded.expires_at <> kept.expires_at as known) as changed)
    where excluded.seen_at > kept.seen_at`
}

/** A certificate that expires soon, of any account. */
type SoonCertificate = {
  checkId: string
  accountId: string
  issuer: string | null
  names: string[]
  expiresAtMs: number
}

/** The checks whose certificates expire first, each with its soonest region. Paused checks are left out. */
export const findCertificatesByExpiry = async (sql: Sql, limit: number): Promise<SoonCertificate[]> =>
  await sql<SoonCertificate[]>`
    select first.check_id as "checkId", checks.account_id as "accountId", first.issuer, first.names,
      ${epochMs(sql, 'first.expires_at')} as "expiresAtMs"
    from (
      select distinct on (check_id) * from (
        select * from check_certificates order by expires_at limit ${limit * 10}
      ) as soon order by check_id, expires_at, issuer is null
    ) as first join checks on checks.id = first.check_id
    where not checks.paused and first.region = any(checks.regions)
    order by first.expires_at limit ${limit}`
