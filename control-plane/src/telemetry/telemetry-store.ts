import type {
  TelemetryEncoding,
  TelemetryPush,
  TelemetrySignal,
} from '@probe-mesh/contracts/telemetry/telemetry'
import { isSuspended } from '../accounts/accounts-store.ts'
import type { Connection, Sql, Transaction } from '../stores/postgres/connect.ts'
import { epochMs, isoText } from '../stores/postgres/epoch-ms.ts'
import type { Pushed } from './push-plan.ts'

/** Where an account pushes to. `headers` are sealed; null: none. */
export type TelemetryEndpoint = {
  accountId: string
  endpoint: string
  headers: Uint8Array | null
  headerNames: string[]
  encoding: TelemetryEncoding
}

const endpointColumns = (db: Connection) => db`
  endpoints.account_id as "accountId", endpoint, headers, header_names as "headerNames", encoding`

export const findEndpoint = async (db: Connection, accountId: string): Promise<TelemetryEndpoint | null> => {
  const [row] = await db<TelemetryEndpoint[]>`
    select ${endpointColumns(db)} from telemetry_endpoints as endpoints where account_id = ${accountId}`
  return row ?? null
}

export const writeEndpoint = async (
  tx: Transaction,
  { accountId, endpoint, headers, headerNames, encoding }: TelemetryEndpoint,
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into telemetry_endpoints (account_id, endpoint, headers, header_names, encoding, updated_at)
    values (${accountId}, ${endpoint}, ${headers}, ${headerNames}::text[], ${encoding}, ${new Date(nowMs)})
    on conflict (account_id) do update set endpoint = excluded.endpoint, headers = excluded.headers,
      header_names = excluded.header_names, encoding = excluded.encoding, updated_at = excluded.updated_at`
}

/** With its pushes. @returns whether there was one */
export const deleteEndpoint = async (tx: Transaction, accountId: string): Promise<boolean> =>
  (await tx`delete from telemetry_endpoints where account_id = ${accountId}`).count > 0

/** Turns the push of a signal on or off, and is due now. One that was off begins with this minute. */
export const writePushSetting = async (
  tx: Transaction,
  { accountId, signal, enabled }: { accountId: string; signal: TelemetrySignal; enabled: boolean },
  nowMs: number,
): Promise<void> => {
  const [now, minute] = [new Date(nowMs), new Date(nowMs - (nowMs % 60_000))]
  await tx`
    insert into telemetry_pushes as own (account_id, signal, enabled, due_at, settled_to)
    values (${accountId}, ${signal}, ${enabled}, ${now}, ${minute})
    on conflict (account_id, signal) do update set enabled = excluded.enabled, due_at = excluded.due_at, failures = 0,
      settled_to = case when own.enabled then own.settled_to else excluded.settled_to end,
      pushed = case when own.enabled then own.pushed else '{}' end`
}

/** The pushes of an account that were ever set. */
export const findPushes = async (
  db: Connection,
  accountId: string,
): Promise<Map<TelemetrySignal, TelemetryPush>> => {
  const rows = await db<(TelemetryPush & { signal: TelemetrySignal })[]>`
    select signal, enabled, ${isoText(db, 'last_success_at')} as "lastSuccessAt",
      ${isoText(db, 'last_error_at')} as "lastErrorAt",
      last_error as "lastError", failures, sent::float8 as sent, refused::float8 as refused,
      dropped::float8 as dropped
    from telemetry_pushes where account_id = ${accountId}`
  return new Map(rows.map(({ signal, ...push }) => [signal, push]))
}

/** A push that this control plane runs. */
export type ClaimedPush = Pushed & {
  accountId: string
  signal: TelemetrySignal
  failures: number
  /** Until then no other control plane runs it. */
  untilMs: number
  endpoint: TelemetryEndpoint
  isOperators: boolean
}

/** Takes the push that waits longest; null: none is due. One that is lost with its process is due when its time is over. */
export const claimPush = async (
  sql: Sql,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<ClaimedPush | null> => {
  const [row] = await sql<(Omit<ClaimedPush, 'endpoint' | 'untilMs'> & TelemetryEndpoint)[]>`
    with claimed as (
      update telemetry_pushes set due_at = ${new Date(untilMs)} where (account_id, signal) = (
        select account_id, signal from telemetry_pushes
        where enabled and due_at <= ${new Date(nowMs)} and not ${isSuspended(sql, 'telemetry_pushes.account_id')}
        order by due_at, account_id, signal limit 1 for update skip locked)
      returning account_id, signal, failures, settled_to, pushed
    )
    select ${endpointColumns(sql)}, signal, failures, ${epochMs(sql, 'settled_to')} as "settledToMs", pushed,
      is_operators as "isOperators"
    from claimed join telemetry_endpoints as endpoints using (account_id)
      join accounts on accounts.id = endpoints.account_id`
  if (row === undefined) return null
  const { endpoint, headers, headerNames, encoding, ...push } = row
  return {
    ...push,
    untilMs,
    endpoint: { accountId: row.accountId, endpoint, headers, headerNames, encoding },
  }
}

/** What a push did. `error` of one that succeeded: what the receiver refused or warned of. */
export type PushOutcome = Pushed & {
  dueMs: number
  atMs: number
  failures: number
  error: string | null
  sent: number
  refused: number
  dropped: number
}

/** Writes what a push did, unless its settings changed or its time was over. */
export const writeOutcome = async (
  sql: Sql,
  { accountId, signal, untilMs }: Pick<ClaimedPush, 'accountId' | 'signal' | 'untilMs'>,
  { dueMs, atMs, failures, error, sent, refused, dropped, settledToMs, pushed }: PushOutcome,
): Promise<void> => {
  const at = new Date(atMs)
  await sql`
    update telemetry_pushes set due_at = ${new Date(dueMs)}, failures = ${failures},
      last_success_at = case when ${failures === 0} then ${at} else last_success_at end,
      last_error_at = case when ${error !== null} then ${at} else last_error_at end,
      last_error = coalesce(${error}, last_error),
      sent = sent + ${sent}, refused = refused + ${refused}, dropped = dropped + ${dropped},
      settled_to = ${new Date(settledToMs)}, pushed = ${sql.json(pushed)}
    where account_id = ${accountId} and signal = ${signal} and due_at = ${new Date(untilMs)}`
}
