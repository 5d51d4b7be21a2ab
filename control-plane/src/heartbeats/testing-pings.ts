import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { CheckRecord } from '../records/check/check-record.ts'
import { settingsOf } from './testing.ts'
import { insertAccount } from '../accounts/accounts-store.ts'
import { insertRevision } from '../records/check/check-revisions-store.ts'
import { insertCheck } from '../records/check/checks-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { insertHeartbeat } from './heartbeats-store.ts'

export type TestHeartbeat = { checkId: string; accountId: string; pingKey: string }

/** Inserts a heartbeat check like the create operation. */
export const insertTestHeartbeat = async (
  sql: Sql,
  options: {
    settings?: Partial<HeartbeatSettings>
    accountId?: string
    paused?: boolean
    createdAtMs?: number
  } = {},
): Promise<TestHeartbeat> => {
  const nowMs = options.createdAtMs ?? Date.now()
  const accountId = options.accountId ?? uuidv7(nowMs)
  if (options.accountId === undefined) {
    await insertAccount(sql, { id: accountId, name: 'test', tier: 'scale', createdAtMs: nowMs })
  }
  const check: CheckRecord = {
    id: uuidv7(nowMs),
    accountId,
    type: 'heartbeat',
    name: 'backup',
    url: null,
    target: null,
    intervalSeconds: 600,
    regions: [],
    allRegions: false,
    paused: options.paused ?? false,
    tags: [],
    private: false,
    assertions: noAssertions,
    config: { type: 'heartbeat', settings: settingsOf(options.settings) },
    revision: 1,
    validFromMs: nowMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  await sql.begin(async (tx) => {
    await insertCheck(tx, check)
    await insertRevision(tx, check)
    await insertHeartbeat(tx, check.id)
  })
  return { checkId: check.id, accountId, pingKey: await pingKeyOf(sql, check.id) }
}

export const pingKeyOf = async (sql: Sql, checkId: string): Promise<string> => {
  const [row] = await sql<{ ping_key: string }[]>`
    select ping_key from heartbeats where check_id = ${checkId}`
  if (row === undefined) throw new Error(`check ${checkId} has no heartbeat`)
  return row.ping_key
}

/** The statuses that a check flipped to, and the number of flips in the outbox. */
export const flipsOf = async (
  sql: Sql,
  checkId: string,
): Promise<{ flips: string[]; told: number; version: number; status: string }> => {
  const flips = await sql<{ to_status: string }[]>`
    select to_status from flips where check_id = ${checkId} order by version`
  const [told] = await sql<{ count: number }[]>`
    select count(*)::integer as count from outbox
    where kind = 'flip' and payload #>> '{flip,checkId}' = ${checkId}`
  const [state] = await sql<{ version: number; status: string }[]>`
    select version, status from check_states where check_id = ${checkId}`
  return {
    flips: flips.map((row) => row.to_status),
    told: told?.count ?? 0,
    version: state?.version ?? 0,
    status: state?.status ?? '',
  }
}
