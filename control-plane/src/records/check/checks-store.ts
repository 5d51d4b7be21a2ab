import { toAssertions, type Assertions } from '@probe-mesh/contracts/check/assertions'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { stateColumns, toState, type StateColumns } from '../../status/state-columns.ts'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import { toStatusRule } from '../../status/status-rule-column.ts'
import { fromStoredConfig, toStoredConfig, type CheckRecord, type CheckWithState } from './check-record.ts'
import { requestedHosts } from './requested-hosts.ts'
import { secretNamesOf } from './secret-uses.ts'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** A row of `checks`. Its config and assertions may be of another version. */
export type CheckRow = Omit<CheckRecord, 'assertions' | 'config' | 'statusRule'> & {
  isSpread: boolean
  assertions: Partial<Assertions>
  config: unknown
  statusRule: unknown
}

type JoinedRow = CheckRow & StateColumns

export const checkColumns = (db: Connection) => db`
  checks.id, checks.account_id as "accountId", checks.type, checks.name, checks.url, checks.target,
  checks.interval_seconds as "intervalSeconds", checks.regions, checks.all_regions as "allRegions",
  checks.paused, ${epochMs(db, 'checks.paused_until')} as "pausedUntilMs", checks.tags, checks.private, checks.assertions, checks.config,
  checks.status_rule as "statusRule", checks.revision,
  ${epochMs(db, 'checks.valid_from')} as "validFromMs",
  checks.spread_revision is not distinct from checks.revision as "isSpread",
  ${epochMs(db, 'checks.created_at')} as "createdAtMs", ${epochMs(db, 'checks.updated_at')} as "updatedAtMs"`

const selectChecks = (db: Connection) => db`
  select ${checkColumns(db)}, ${stateColumns(db)}
  from checks left join check_states on check_states.check_id = checks.id`

/** Names each field: rest and spread of 10,000 of the driver's rows take 50 ms instead of 9. */
export const toCheckRecord = (row: CheckRow): CheckRecord => ({
  id: row.id,
  accountId: row.accountId,
  type: row.type,
  name: row.name,
  url: row.url,
  target: row.target,
  intervalSeconds: row.intervalSeconds,
  regions: row.regions,
  allRegions: row.allRegions,
  paused: row.paused,
  pausedUntilMs: row.pausedUntilMs ?? null,
  tags: row.tags,
  private: row.private,
  assertions: toAssertions(row.assertions),
  config: toStoredConfig(row.config, row.type),
  ...(row.statusRule !== null && { statusRule: toStatusRule(row.statusRule) }),
  revision: row.revision,
  validFromMs: row.validFromMs,
  isSpread: row.isSpread,
  createdAtMs: row.createdAtMs,
  updatedAtMs: row.updatedAtMs,
})

const toCheckWithState = (row: JoinedRow): CheckWithState => ({ ...toCheckRecord(row), state: toState(row) })

/** All checks of an account with their states, oldest first. */
export const findChecks = async (db: Connection, accountId: string): Promise<CheckWithState[]> => {
  const rows = await db<JoinedRow[]>`${selectChecks(db)}
    where checks.account_id = ${accountId}
    order by checks.created_at, checks.id`
  return rows.map(toCheckWithState)
}

/** These checks of an account with their states, in this order; missing ones are left out. */
export const findChecksOf = async (
  db: Connection,
  accountId: string,
  ids: readonly string[],
): Promise<CheckWithState[]> => {
  const rows = await db<JoinedRow[]>`${selectChecks(db)}
    where checks.account_id = ${accountId} and checks.id = any(${[...ids]}::uuid[])`
  // not in SQL: `array_position` searches the array for each row
  const places = new Map(ids.map((id, place) => [id, place]))
  const placeOf = ({ id }: JoinedRow): number => places.get(id) ?? ids.length
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b)).map(toCheckWithState)
}

/** One check of an account with its state; null if missing or of another account. */
export const findCheck = async (
  db: Connection,
  accountId: string,
  checkId: string,
): Promise<CheckWithState | null> => {
  const [row] = await db<JoinedRow[]>`${selectChecks(db)}
    where checks.id = ${checkId} and checks.account_id = ${accountId}`
  return row === undefined ? null : toCheckWithState(row)
}

/**
 * The check, locked until the transaction ends, so that its revisions follow one another. Transactions that
 * only need it to stay do not wait for this lock: alerters reach further checks when they have locked pages.
 */
export const lockCheck = async (
  tx: Transaction,
  accountId: string,
  checkId: string,
): Promise<CheckWithState | null> => {
  const [row] = await tx<JoinedRow[]>`${selectChecks(tx)}
    where checks.id = ${checkId} and checks.account_id = ${accountId}
    for no key update of checks`
  return row === undefined ? null : toCheckWithState(row)
}

/**
 * These checks of an account with their states, locked in the order of their ids; missing ones are left out.
 */
export const lockChecks = async (
  tx: Transaction,
  accountId: string,
  checkIds: readonly string[],
): Promise<Map<string, CheckWithState>> => {
  const rows = await tx<JoinedRow[]>`${selectChecks(tx)}
    where checks.account_id = ${accountId} and checks.id = any(${[...checkIds]}::uuid[])
    order by checks.id for no key update of checks`
  return new Map(rows.map((row) => [row.id, toCheckWithState(row)]))
}

export const countChecks = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from checks where account_id = ${accountId}`
  return row?.count ?? 0
}

/** Inserts a check and the empty state that its assessor starts from. */
export const insertCheck = async (tx: Transaction, check: CheckRecord): Promise<void> => {
  const requested = requestedHosts(check)
  await tx`
    insert into checks (id, account_id, type, name, url, target, interval_seconds, regions,
      all_regions, paused, paused_until, tags, private, assertions, config, status_rule, revision, valid_from,
      created_at, updated_at, asked_hosts, asked_sites, secret_names)
    values (${check.id}, ${check.accountId}, ${check.type}, ${check.name}, ${check.url},
      ${check.target}, ${check.intervalSeconds}, ${[...check.regions]}, ${check.allRegions},
      ${check.paused}, ${pauseEnd(check)}, ${[...check.tags]}, ${check.private}, ${tx.json(setAssertions(check.assertions))},
      ${tx.json(fromStoredConfig(check.config))}, ${storedRule(tx, check.statusRule)}, ${check.revision},
      ${new Date(check.validFromMs)}, ${new Date(check.createdAtMs)},
      ${new Date(check.updatedAtMs)}, ${requested.map(({ host }) => host)},
      ${requested.map(({ site }) => site)}, ${secretNamesOf(check)})`
  await tx`
    insert into check_states (check_id, partition) values (${check.id}, ${partitionOf(check.id)})`
}

/** Writes the fields that a revision can change. */
export const updateCheck = async (tx: Transaction, check: CheckRecord): Promise<void> => {
  const requested = requestedHosts(check)
  await tx`
    update checks set name = ${check.name}, url = ${check.url}, target = ${check.target},
      interval_seconds = ${check.intervalSeconds}, regions = ${[...check.regions]},
      all_regions = ${check.allRegions}, private = ${check.private}, paused = ${check.paused},
      paused_until = ${pauseEnd(check)},
      tags = ${[...check.tags]},
      assertions = ${tx.json(setAssertions(check.assertions))},
      config = ${tx.json(fromStoredConfig(check.config))},
      revision = ${check.revision}, valid_from = ${new Date(check.validFromMs)},
      updated_at = ${new Date(check.updatedAtMs)},
      asked_hosts = ${requested.map(({ host }) => host)}, asked_sites = ${requested.map(({ site }) => site)},
      secret_names = ${secretNamesOf(check)}
    where id = ${check.id}`
}

/** Writes the tags of checks, which are no part of a revision. */
export const updateTags = async (
  tx: Transaction,
  checks: readonly Pick<CheckRecord, 'id' | 'tags'>[],
  nowMs: number,
): Promise<void> => {
  const rows = checks.map(({ id, tags }) => ({ id, tags: [...tags] }))
  await tx`
    update checks set tags = new.tags, updated_at = greatest(updated_at, ${new Date(nowMs)})
    from jsonb_to_recordset(${tx.json(rows)}) as new (id uuid, tags text[])
    where checks.id = new.id`
}

/** Writes what decides the status of a check, which is no part of a revision. @param rule null: the default */
export const writeStatusRule = async (
  tx: Transaction,
  checkId: string,
  rule: StatusRule | null,
): Promise<void> => {
  await tx`
    update checks set status_rule = ${storedRule(tx, rule)} where id = ${checkId}`
}

/** Notifies all control planes on commit to read these checks again. */
export const notifyChecksChanged = async (tx: Transaction, checkIds: readonly string[]): Promise<void> => {
  await tx`select pg_notify('checks_changed', id) from unnest(${[...checkIds]}::text[]) as id`
}

export const notifyCheckChanged = (tx: Transaction, checkId: string): Promise<void> =>
  notifyChecksChanged(tx, [checkId])

const pauseEnd = ({ pausedUntilMs }: CheckRecord): Date | null =>
  typeof pausedUntilMs === 'number' ? new Date(pausedUntilMs) : null

const storedRule = (tx: Transaction, rule: StatusRule | null | undefined) =>
  rule === null || rule === undefined ? null : tx.json(rule)

/** Unset assertions are left out of the column. */
const setAssertions = (assertions: Assertions): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(assertions).filter(
      (entry): entry is [string, string | number | boolean] => entry[1] !== null,
    ),
  )
