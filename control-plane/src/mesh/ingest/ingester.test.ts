import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { expect, test, vi } from 'vitest'
import { insertReadings } from '../../readings/insert-readings.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import { acquireTestLeases } from '../../stores/postgres/testing.ts'
import { createFactsOfChecks } from './check-facts.ts'
import { openBatches, recordBatch } from './ingest-batches-store.ts'
import { useIngest } from './testing/use-ingest.ts'

const ingest = useIngest()
const { start, publish, reading, allDone, stored } = ingest

test('a slot seen twice is stored once: in one message, in another, and after a restart', async () => {
  const first = await start()
  await publish([reading(1), reading(1, { latencyMs: 99 })])
  await allDone(await publish([reading(2), reading(1)]))
  await first.close()
  const { metric } = await start()
  await allDone(await publish([reading(2), reading(3, { verdict: 'down' }), reading(1)]))
  expect(await stored()).toEqual([3, 3, 3, 3])
  expect(await metric('ingest_readings_dropped_total')).toBe(2)
})

test('a late slot between stored ones is not mistaken for a duplicate', async () => {
  await start()
  await allDone(await publish([reading(1), reading(5)]))
  await allDone(await publish([reading(3)]))
  expect(await stored()).toEqual([3, 3, 3, 3])
})

test('stores confirmations and manual readings, and keeps them out of the rollups', async () => {
  await start()
  const evidence = [
    reading(1),
    reading(1, { kind: 'manual', number: 1 }),
    reading(1, { kind: 'manual', number: 2 }),
    reading(1, { kind: 'confirmation' }),
  ]
  await publish(evidence)
  await allDone(await publish(evidence))
  expect(await stored()).toEqual([4, 4, 1, 1])
})

test('unreadable messages and readings are kept as poison, and their neighbours are stored', async () => {
  const messages = [Buffer.from('{"version":1,'), Buffer.from([0xff, 0xfe]), Buffer.from('{"version":2}')]
  const faults = {
    verdict: { verdict: undefined },
    latency: { latencyMs: 'NaN' },
    region: { region: 'iad' },
    future: { slot: Date.now() + 3_600_000 },
    age: { slot: Date.now() - 30 * 86_400_000 },
  }
  const { metric } = await start()
  for (const message of messages) await publish(new Uint8Array(message))
  await allDone(
    await publish([
      reading(1),
      ...Object.values(faults).map((fault) => ({ ...reading(2), ...fault })),
      reading(3),
    ]),
  )
  expect(await stored()).toEqual([2, 2, 2, 2])
  expect(await metric('ingest_poison_total')).toBe(8)
  const kept = await ingest.sql`select reason, payload from poison_messages order by sequence, id limit 3`
  expect(kept.map(({ payload }) => Buffer.from(payload))).toEqual(messages)
  expect(kept.map(({ reason }) => reason)).toEqual(
    ['not JSON', 'not JSON', 'not a message'].map((reason) => expect.stringContaining(reason)),
  )
})

/** As a server that is killed when the raw table has its part and the rollups do not have theirs. */
const withoutViews = async (act: () => Promise<void>): Promise<void> => {
  for (const view of ['minute', 'hour']) {
    await ingest.clickhouse.command({ query: `detach table readings_${view}_view` })
  }
  await act()
  for (const view of ['minute', 'hour']) {
    await ingest.clickhouse.command({ query: `attach table readings_${view}_view` })
  }
}

test('repeats a batch exactly after an interruption between the raw table and its rollups', async () => {
  await publish([reading(1), reading(2)])
  const last = await publish([reading(3), reading(3)])
  const ranges = [{ partition: partitionOf(ingest.checkId), first: 1, last: 2, count: 2 }]
  const record = { token: uuidv7(Date.now()), createdAtMs: Date.now(), ranges, dropped: [3] }
  const leases = await acquireTestLeases(ingest.sql)
  // its answer may be lost: recorded once more, also without its leases, it is the same batch
  expect(await recordBatch(ingest.sql, record, [], leases)).toEqual(new Set())
  await acquireTestLeases(ingest.sql)
  expect(await recordBatch(ingest.sql, record, [], leases)).toEqual(new Set())
  const rows = [1, 2, 3].map((k) => ({ ...facts, reading: reading(k), receivedAtMs: Date.now() }))
  await withoutViews(() => insertReadings(ingest.clickhouse, rows, record.token))
  expect(await stored()).toEqual([3, 3, 0, 0])
  await start()
  await allDone(last)
  expect(await stored()).toEqual([3, 3, 3, 3])
  expect(await openBatches(ingest.sql)).toEqual([])
})
const facts = { agent: 'fra-1', rawDays: 90, hourDays: 800 }

test.each([
  ['is stored though its answer was lost', false, 0],
  ['is lost from the raw table with its answer', true, 3],
])('a batch that %s is stored exactly, and acknowledged only then', async (_, isForgotten, repairs) => {
  const marked = vi.fn<() => void>()
  await ingest.bus.persisted.watch('fra', 'fra-1', marked)
  let isAnswered = false
  const flaky = connectClickHouse(ingest.url())
  const { insert } = flaky
  flaky.insert = async (rows) => {
    const result = await insert.call(flaky, rows)
    if (isAnswered) return result
    isAnswered = true
    if (isForgotten) {
      await ingest.clickhouse.command({
        query: `delete from readings_raw where check_id = '${ingest.checkId}'`,
      })
    }
    expect(marked).not.toHaveBeenCalled()
    throw new Error('socket hang up')
  }
  try {
    const { metric } = await start({ clickhouse: flaky })
    await allDone(await publish([reading(1), reading(2)]))
    expect(await stored()).toEqual([2, 2, 2, 2])
    expect(await metric('ingest_retries_total')).toBe(1)
    expect(await metric('ingest_repairs_total')).toBe(repairs)
  } finally {
    await flaky.close()
  }
})

test('the new owner stores the messages that a former owner fetched, once', async () => {
  const [fetched, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const factsOfChecks = createFactsOfChecks({ sql: ingest.sql, tiers: tiersDefault, now: Date.now })
  const find: typeof factsOfChecks.find = async (checkIds) => {
    fetched.resolve()
    await taken.promise
    return factsOfChecks.find(checkIds)
  }
  const former = await start({ factsOfChecks: { ...factsOfChecks, find } })
  const batch = await publish([reading(1), reading(2)])
  await fetched.promise
  const { metric } = await start()
  taken.resolve()
  await allDone(batch)
  await vi.waitFor(async () => expect(await former.metric('ingest_messages_fenced_total')).toBe(1))
  expect(await stored()).toEqual([2, 2, 2, 2])
  expect(await metric('ingest_readings_stored_total')).toBe(2)
})

test('releases a partition with each message stored, or in the stream for the next owner', async () => {
  const { leave, leases, metric } = await start({ batchAgeMs: 400 })
  const partition = partitionOf(ingest.checkId)
  await allDone(await publish([reading(1)]))
  for (const k of [2, 3, 4, 5]) await publish([reading(k)])
  await vi.waitFor(async () => expect(await metric('ingest_pending_messages')).toBeGreaterThan(0))
  for (const lease of leases) if (lease.partition === partition) await leave(lease, 'released')
  expect(await openBatches(ingest.sql)).toEqual([])
  const { messages } = await (await ingest.bus.readings.consume(partition, 'ingest')).lag()
  expect(((await stored())[0] ?? 0) + messages).toBe(5)
})

test('a read-only Postgres delays readings, and each is stored once afterwards', async () => {
  const readOnly = connectPostgres(`${ingest.databaseUrl()}?default_transaction_read_only=on`)
  const one = await start({ sql: readOnly })
  await publish([reading(1)])
  await vi.waitFor(async () => expect(await one.metric('ingest_retries_total')).toBeGreaterThan(1))
  expect(await stored()).toEqual([0, 0, 0, 0])
  await one.close()
  await readOnly.end()
  await start()
  await allDone(await publish([reading(2)]))
  expect(await stored()).toEqual([2, 2, 2, 2])
})

test.each([
  [
    'a missing table',
    ['alter table ingest_batches rename to gone_batches'],
    ['alter table gone_batches rename to ingest_batches'],
  ],
  [
    'a state that this version does not know',
    [
      `create function refuse() returns trigger language plpgsql as
        $$ begin raise exception using errcode = 'ZZ999', message = 'no'; end $$`,
      'create trigger refuse before insert or delete on ingest_batches for each row execute function refuse()',
    ],
    ['drop trigger refuse on ingest_batches', 'drop function refuse'],
  ],
])('%s in Postgres delays readings, and each is stored once afterwards', async (_, begin, end) => {
  const { metric } = await start()
  for (const text of begin) await ingest.sql.unsafe(text)
  await publish([reading(1)])
  await vi.waitFor(async () => expect(await metric('ingest_retries_total')).toBeGreaterThan(1))
  for (const text of end) await ingest.sql.unsafe(text)
  await allDone(await publish([reading(2)]))
  expect(await stored()).toEqual([2, 2, 2, 2])
})
