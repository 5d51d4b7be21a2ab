import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertOccurrences } from './persist/insert-occurrences.ts'
import { aStoredEvent } from './events/testing.ts'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { deleteErrorProject } from './projects/error-projects-store.ts'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { startPurger, type Purger } from '@probe-mesh/control-plane/src/app/purge/purger'

const dayMs = 86_400_000
const now = Date.now()
const delayMs = 60_000

const sql = useTestSql({ role: 'probe_mesh_system' })
const clickhouse = useClickHouse()
let accountId: string
let purger: Purger | null = null
beforeAll(async () => {
  accountId = uuidv7(now)
  await insertAccount(sql, { id: accountId, name: 'test', tier: 'scale', createdAtMs: now })
})
afterAll(async () => {
  await purger?.close()
})

const stored = async (projectId: string): Promise<number> => {
  await clickhouse.command({ query: 'optimize table error_occurrences final' })
  const result = await clickhouse.query({
    query: 'select count() as count from error_occurrences where project_id = {project:UUID}',
    query_params: { project: projectId },
    format: 'JSONEachRow',
  })
  return (await result.json<{ count: number }>())[0]?.count ?? 0
}
const occur = (projectId: string, ageDays: readonly number[]): Promise<void> => {
  const rows = ageDays.map((age) => ({
    event: aStoredEvent(projectId, { at: now - age * dayMs }),
    issueId: uuidv7(now),
    keepDays: 90,
  }))
  const batch = uuidv7(now)
  return insertOccurrences(clickhouse, rows, { batch, token: batch })
}

test('occurrences are stored for 90 days after they happened', async () => {
  const projectId = uuidv7(now)
  await occur(projectId, [0, 89, 91])
  expect(await stored(projectId)).toBe(2)
})

test('ids are deleted after 30 days, and only a deleted project loses its occurrences', async () => {
  const [gone, kept] = [
    await insertTestErrorProject(sql, accountId),
    await insertTestErrorProject(sql, accountId),
  ]
  await occur(gone, [0, 1])
  await occur(kept, [0, 1])
  const month = `${new Date(now).toISOString().slice(0, 7)}-01`
  await sql.begin((tx) => deleteErrorProject(tx, { id: gone, accountId }, { month, nowMs: now }))
  // more rows than two statements may delete
  await sql`
    insert into error_event_ids select ${kept}, gen_random_uuid(), ${new Date(now - 31 * dayMs)}
    from generate_series(1, 2500)`
  await sql`
    insert into error_event_ids select ${kept}, gen_random_uuid(), ${new Date(now - 29 * dayMs)}
    from generate_series(1, 3)`
  let clock = now
  const more = { tiers: tiersDefault, registry: new Registry(), log: pino({ level: 'silent' }) }
  const capabilities = { sql, clickhouse, ...more }
  purger = startPurger({ ...capabilities, now: () => clock, delayMs })
  await vi.waitFor(async () => {
    const [row] = await sql`select count(*)::integer as ids from error_event_ids`
    expect(row).toEqual({ ids: 3 })
  })
  // a running batch may still insert some
  expect(await stored(gone)).toBe(2)
  await purger.close()
  clock = now + delayMs + 1
  purger = startPurger({ ...capabilities, registry: new Registry(), now: () => clock, delayMs })
  await vi.waitFor(async () => expect(await stored(gone)).toBe(0))
  expect(await stored(kept)).toBe(2)
})
