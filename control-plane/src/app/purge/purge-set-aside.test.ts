import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { outboxBounds, endedDeliveryBounds, poisonBounds } from '@probe-mesh/contracts/reading/set-aside'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { insertAccount } from '../../accounts/accounts-store.ts'
import { createSetAsidePurge } from './purge-set-aside.ts'

const now = Date.now()
const dayMs = 86_400_000
const sql = useTestSql({ role: 'probe_mesh_system' })
beforeEach(async () => {
  await sql`delete from poison_messages`
  await sql`delete from outbox`
})

const poison = async (owner: string, count: number, bytes = 1, ageMs = 0): Promise<void> => {
  await sql`
    insert into poison_messages (id, partition, sequence, owner, reason, payload, received_at)
    select gen_random_uuid(), 0, n, ${owner}, 'test', repeat('x', ${bytes})::bytea,
      ${new Date(now - ageMs)}::timestamptz - make_interval(secs => n)
    from generate_series(1, ${count}::integer) as n`
}
const kept = async (): Promise<Record<string, number>> => {
  const rows = await sql<{ owner: string; rows: number }[]>`
    select owner, count(*)::integer as rows from poison_messages group by owner`
  return Object.fromEntries(rows.map((row) => [row.owner, row.rows]))
}
/** A thousandth of those of production, which would take the test 160,000 rows. */
const small = { ...poisonBounds, owner: { rows: 10, bytes: 65_536 }, all: { rows: 100, bytes: 1_048_576 } }
const purge = async (bounds: Partial<Parameters<typeof createSetAsidePurge>[0]> = {}) => {
  const registry = new Registry()
  await createSetAsidePurge({ sql, registry, now: () => now, ...bounds })()
  const { values } = (await registry.getSingleMetric('purge_dropped_total')?.get()) ?? {
    values: [],
  }
  const dropped = Object.fromEntries(
    values.map(({ labels, value }) => [`${labels['table']} ${labels['reason']}`, value]),
  )
  const figure = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value
  return { dropped, rows: await figure('poison_rows'), bytes: await figure('poison_bytes') }
}

test('poison messages are stored for a week', async () => {
  await poison('fra', 3, 1, poisonBounds.ageMsMax)
  await poison('fra', 2)
  expect(await purge()).toMatchObject({ dropped: { 'poison_messages age': 3 }, rows: 2, bytes: 2 })
})

test('an owner keeps its newest rows, within its bytes', async () => {
  await poison('rows', small.owner.rows + 5)
  await poison('bytes', 13, small.owner.bytes / 8)
  await poison('little', 3)
  const { dropped, bytes } = await purge({ poison: small })
  expect(await kept()).toEqual({ rows: small.owner.rows, bytes: 8, little: 3 })
  expect(dropped).toEqual({ 'poison_messages owner': 5 + 13 - 8 })
  expect(bytes).toBe(small.owner.bytes + small.owner.rows + 3)
})

test('beyond the limit of all owners, an owner with few rows keeps them', async () => {
  const { owner, all } = small
  const owners = all.rows / owner.rows + 2
  for (let n = 0; n < owners; n++) await poison(`private-${n}`, owner.rows)
  await poison('little', 3, 1, dayMs)
  const { dropped } = await purge({ poison: small })
  const left = await kept()
  expect(left['little']).toBe(3)
  expect(Object.values(left).reduce((sum, rows) => sum + rows, 0)).toBe(all.rows)
  expect(dropped).toEqual({
    'poison_messages all': (owners - all.rows / owner.rows) * owner.rows + 3,
  })
})

test('outbox rows undelivered for a week are deleted, and the oldest of an account beyond its limit', async () => {
  const fill = (account: string | null, count: number, ageMs: number) => sql`
    insert into outbox (id, kind, payload, created_at, next_attempt_at)
    select gen_random_uuid(), 'alert', ${sql.json(account === null ? {} : { accountId: account })},
      ${new Date(now - ageMs)}, ${new Date(now)}
    from generate_series(1, ${count}::integer)`
  await fill('old', 2, outboxBounds.ageMsMax + 1)
  await fill('many', outboxBounds.ownerRows + 4, 0)
  await fill('few', 3, dayMs)
  const { dropped } = await purge()
  expect(dropped).toEqual({ 'outbox age': 2, 'outbox owner': 4 })
  const rows = await sql`select from outbox where payload ->> 'accountId' = 'few'`
  expect(rows).toHaveLength(3)
})

test('an account keeps its newest ended deliveries; pending ones are never deleted', async () => {
  const [many, few] = [uuidv7(now), uuidv7(now)]
  for (const id of [many, few]) {
    await insertAccount(sql, { id, name: 'test', tier: 'free', createdAtMs: now })
  }
  const fill = (account: string, state: string, count: number) => sql`
    insert into deliveries (id, account_id, kind, recipient, cause, message, state, next_attempt_at,
      expires_at, created_at)
    select gen_random_uuid(), ${account}, 'mail', 'a@example.com', gen_random_uuid()::text, '{}',
      ${state}, ${new Date(now)}, ${new Date(now)}, ${new Date(now)}
    from generate_series(1, ${count}::integer)`
  await fill(few, 'dead', 2)
  await fill(many, 'dead', endedDeliveryBounds.ownerRows + 6)
  await fill(many, 'pending', 5)
  const { dropped } = await purge()
  expect(dropped).toEqual({ 'deliveries owner': 6 })
  const rows = await sql`
    select state, count(*)::integer as rows from deliveries where account_id = ${many}
    group by state order by state`
  expect(rows.map(({ rows: count }) => Number(count))).toEqual([endedDeliveryBounds.ownerRows, 5])
})
