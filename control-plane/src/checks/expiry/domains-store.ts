import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { checkColumns, toCheckRecord, type CheckRow } from '../../records/check/checks-store.ts'
import type { Connection, Sql, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { parseDnsTarget } from '@probe-mesh/contracts/target/dns-target'
import { parse } from 'tldts'
import { requestedHosts } from '../../records/check/requested-hosts.ts'
import type { StoredConfig } from '../../records/check/check-record.ts'

/** The domain of a check. Times are Unix milliseconds. */
export type DomainRecord = {
  name: string
  expiresAtMs: number
  registrar: string | null
  askedAtMs: number
}

/** The domains of these checks with a known expiry, by check. */
export const findDomains = async (
  db: Connection,
  checkIds: readonly string[],
): Promise<Map<string, DomainRecord>> => {
  const rows = await db<(DomainRecord & { checkId: string })[]>`
    select check_id as "checkId", name, ${epochMs(db, 'expires_at')} as "expiresAtMs", registrar,
      ${epochMs(db, 'asked_at')} as "askedAtMs"
    from check_domains
    where check_id = any(${[...checkIds]}::uuid[]) and expires_at is not null and asked_at is not null`
  return new Map(rows.map(({ checkId, ...domain }) => [checkId, domain]))
}

/** What is known of the domain of a check without a date. Times are Unix milliseconds. */
export type DomainWithout = {
  /** Empty: the target has none. */
  name: string
  /** What became of the last query; null: there was none yet. */
  outcome: string | null
  triedAtMs: number | null
}

/** The domain of a check whose end is not known; null if it is not looked up yet. */
export const findDomainWithout = async (tx: Transaction, checkId: string): Promise<DomainWithout | null> => {
  const [row] = await tx<DomainWithout[]>`
    select name, outcome, ${epochMs(tx, 'tried_at')} as "triedAtMs" from check_domains where check_id = ${checkId}`
  return row ?? null
}

/** The target of the check changed: its domain is looked up again. */
export const deleteCheckDomain = async (tx: Transaction, checkId: string): Promise<void> => {
  await tx`delete from check_domains where check_id = ${checkId}`
}

/**
 * Adds the domains of checks that have none yet, with what is known about them.
 * @returns the number of checks
 */
export const addCheckDomains = async (sql: Sql, limit: number): Promise<number> => {
  const rows = await sql<CheckRow[]>`
    select ${checkColumns(sql)} from checks left join check_domains on check_id = id
    where check_id is null and type <> 'heartbeat' and account_id <> ${catalogAccountId}
    order by id limit ${limit}`
  const found = rows.map((row) => ({
    check_id: row.id,
    name: registrableDomain(toCheckRecord(row)) ?? '',
  }))
  if (found.length === 0) return 0
  await sql`
    insert into check_domains (check_id, name, asked_at, expires_at, registrar, outcome, tried_at)
    select found.check_id, found.name, known.asked_at, known.expires_at, known.registrar, known.outcome, known.tried_at
    from jsonb_to_recordset(${sql.json(found)}) as found (check_id uuid, name text)
      join (select id from checks where id = any(${found.map(({ check_id }) => check_id)}::uuid[])
        order by id for key share) as present on present.id = found.check_id
      left join domains as known on known.name = found.name
    on conflict (check_id) do nothing`
  return found.length
}

/** The checks whose domains may be queried: names of private checks stay private. */
const queryable = (db: Connection) => db`
  select checks.account_id, check_domains.name
  from check_domains join checks on checks.id = check_domains.check_id
  where check_domains.name <> '' and not checks.paused and not checks.private`

/** Adds new domains, due at once, and deletes those without a check. */
export const syncDomains = async (sql: Sql, nowMs: number, limit: number): Promise<void> => {
  await sql`
    insert into domains (name, next_at)
    select distinct name, ${new Date(nowMs)}::timestamptz from (${queryable(sql)}) as of_check
    where not exists (select from domains where domains.name = of_check.name)
    limit ${limit} on conflict (name) do nothing`
  // only if its day is over: a check that comes back does not query again today
  await sql`
    delete from domains where name in (
      select name from domains where next_at <= ${new Date(nowMs)}
        and not exists (select from check_domains where check_domains.name = domains.name)
      limit ${limit})`
}

/**
 * Claims due domains. Every account gets its first domain before any account gets a second one; among equals,
 * the account that waited longest goes first. A claimed domain is not due again before the next day, whatever
 * the outcome.
 */
export const claimDomains = async (
  sql: Sql,
  { nowMs, againMs, limit }: { nowMs: number; againMs: number; limit: number },
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await sql<{ name: string }[]>`
    with due as materialized (
      select distinct of_check.account_id, domains.name, domains.next_at
      from domains join (${queryable(sql)}) as of_check on of_check.name = domains.name
      where domains.next_at <= ${now}
    ),
    turns as (
      select account_id, name, taken_at,
        row_number() over (partition by account_id order by next_at, name) as turn
      from due left join domain_turns using (account_id)
    ),
    own as (
      select distinct on (name) name, account_id, turn, taken_at from turns
      order by name, turn, taken_at nulls first
    ),
    first as materialized (
      select name, account_id from own order by turn, taken_at nulls first, name limit ${limit}
    ),
    claimed_turns as (
      insert into domain_turns (account_id, taken_at)
      select distinct account_id, ${now}::timestamptz from first order by account_id
      on conflict (account_id) do update set taken_at = excluded.taken_at
    )
    update domains set next_at = ${new Date(nowMs + againMs)}
    from first where domains.name = first.name and domains.next_at <= ${now}
    returning domains.name`
  return rows.map((row) => row.name)
}

/** It was not queried after all, and is due again at this time. */
export const rescheduleDomain = async (sql: Sql, name: string, atMs: number): Promise<void> => {
  await sql`update domains set next_at = ${new Date(atMs)} where name = ${name}`
}

/** Stores the outcome of a query, for every check of the domain. Without a new registration, the known one stays. */
export const saveOutcome = async (sql: Sql, name: string, outcome: string, nowMs: number): Promise<void> => {
  const triedAt = new Date(nowMs)
  await sql`
    with kept as (update domains set outcome = ${outcome}, tried_at = ${triedAt} where name = ${name})
    update check_domains set outcome = ${outcome}, tried_at = ${triedAt} where name = ${name}`
}

/** Stores a registration for every check of the domain. */
export const saveRegistration = async (
  sql: Sql,
  name: string,
  registration: {
    expiresAtMs: number | null
    registrar: string | null
    askedAtMs: number
    isUnreadable?: boolean
  },
): Promise<void> => {
  const outcome = registration.isUnreadable === true ? 'unreadable_date' : 'told'
  const expiresAt = registration.expiresAtMs === null ? null : new Date(registration.expiresAtMs)
  const askedAt = new Date(registration.askedAtMs)
  await sql`
    with kept as (
      update domains set asked_at = ${askedAt}, expires_at = ${expiresAt}, registrar = ${registration.registrar},
        outcome = ${outcome}, tried_at = ${askedAt}
      where name = ${name}
    )
    update check_domains set asked_at = ${askedAt}, expires_at = ${expiresAt}, registrar = ${registration.registrar},
      outcome = ${outcome}, tried_at = ${askedAt}
    where name = ${name}`
}

/** The domains that expire first, over all accounts. */
export const findDomainsByExpiry = async (
  sql: Sql,
  limit: number,
): Promise<{ name: string; expiresAtMs: number }[]> =>
  await sql<{ name: string; expiresAtMs: number }[]>`
    select name, ${epochMs(sql, 'expires_at')} as "expiresAtMs" from domains
    where expires_at is not null order by expires_at limit ${limit}`

/** The number of due domains, of all accounts. */
export const countDueDomains = async (sql: Sql, nowMs: number): Promise<number> => {
  const [row] = await sql<{ due: number }[]>`
    select count(*)::integer as due from domains where next_at <= ${new Date(nowMs)}`
  return row?.due ?? 0
}

/**
 * The registered domain of a check's target, such as `example.co.uk`; of a journey, that of its first step; of a URL
 * that is connected elsewhere, its own.
 * Null if there is none: an address, a name that is not public, a heartbeat.
 */
export const registrableDomain = (check: { url: string | null; config: StoredConfig }): string | null => {
  const { url, config } = check
  const asNamed = url === null ? check : { url, config: { type: 'http' } as const }
  const host = config.type === 'dns' ? dnsName(config) : requestedHosts(asNamed)[0]?.host
  if (host === null || host === undefined) return null
  const { domain, isIcann, isIp } = parse(host, { allowPrivateDomains: false })
  return isIp === true || isIcann !== true ? null : domain
}

const dnsName = ({ settings }: Extract<StoredConfig, { type: 'dns' }>): string | null => {
  // whatever resolver is used, even one that only the operator allowed: the name is registered all the same
  const parsed = parseDnsTarget({ ...settings, resolver: null }, { allow: allowNothing })
  return parsed.ok ? parsed.target.name : null
}
