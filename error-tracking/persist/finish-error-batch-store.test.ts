import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { batchChanges, type BatchOutcome } from '../events/batch-changes.ts'
import { monthOf, nextMonthMs, type ReachedQuota } from '../events/quota.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { recordErrorBatch } from './error-batches-store.ts'
import { finishErrorBatch } from './finish-error-batch-store.ts'
import type { Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { insertUser } from '@probe-mesh/control-plane/src/login/users-store'

const quota = 10
const nowMs = Date.parse('2026-11-20T12:00:00.000Z')

let leases: Lease[]
let accountId: string
let projectId: string
let sequence = 0
const database = useTestDatabase()
const sql = database.use({ connectionsMax: 6, role: 'probe_mesh_system' })
const owner = database.use({ connectionsMax: 2 })
beforeAll(async () => {
  leases = await acquireTestLeases(sql)
})
beforeEach(async () => {
  accountId = uuidv7(nowMs)
  await insertAccount(sql, { id: accountId, name: 'test', tier: 'free', createdAtMs: nowMs })
  for (const name of ['one', 'two']) {
    await insertUser(sql, {
      id: uuidv7(nowMs),
      accountId,
      email: `${name}@${accountId}.example.org`,
      passwordHash: 'none',
      createdAtMs: nowMs,
    })
  }
  projectId = await insertTestErrorProject(sql, accountId)
})

/** Records a batch of events with one outcome. @returns a repeatable function that finishes it */
const batchOf = async (
  events: number,
  options: { project?: string; outcome?: BatchOutcome; receivedAt?: number } = {},
) => {
  const { project = projectId, outcome = 'stored', receivedAt = nowMs } = options
  const partition = errorPartitionOf(project)
  const lease = leases.find((each) => each.partition === partition)
  if (lease === undefined) throw new Error('no lease')
  sequence += 1
  const batch = {
    partition,
    token: uuidv7(nowMs),
    first: sequence,
    last: sequence,
    messages: events,
    lastStoredAtMs: receivedAt,
    createdAtMs: nowMs,
  }
  const contents = { arrivals: [], poison: [], wantedMaps: [], quotaOf: () => quota }
  await recordErrorBatch(sql, lease, batch, contents)
  const decided = Array.from({ length: events }, () => ({
    event: aStoredEvent(project, { at: receivedAt, receivedAt }),
    outcome,
  }))
  const quotaOptions = { quotaOf: () => quota, publicUrl: 'https://probe.example.org', nowMs }
  return () => finishErrorBatch(sql, lease, batch, batchChanges(decided, []), quotaOptions)
}
const percents = (reached: readonly ReachedQuota[] | null) => reached?.map(({ percent }) => percent)
/** `<recipient>: <subject>` of the account's mails. */
const mails = async (): Promise<string[]> => {
  const rows = await sql<{ subject: string }[]>`
    select recipient || ': ' || (message ->> 'subject') as subject from deliveries
    where account_id = ${accountId}`
  return rows.map(({ subject }) => subject.replace(`@${accountId}.example.org`, '')).toSorted()
}
const most = '80 % of the monthly error event quota is used'
const all = 'The monthly error event quota is used up'

test('sends each user one mail at 80 % of the quota and one at 100 %', async () => {
  const first = await batchOf(7)
  expect(await first()).toEqual([])
  expect(await mails()).toEqual([])
  const second = await batchOf(1)
  expect(await second()).toEqual([{ accountId, month: '2026-11-01', percent: 80, spent: 8, quota }])
  const atMost = [`one: ${most}`, `two: ${most}`]
  expect(await mails()).toEqual(atMost)
  // a second call, as after a lost connection, changes nothing
  expect(await second()).toEqual([])
  expect(percents(await (await batchOf(1))())).toEqual([])
  expect(percents(await (await batchOf(1))())).toEqual([100])
  expect(percents(await (await batchOf(3, { outcome: 'quota' }))())).toEqual([])
  expect(await mails()).toEqual([...atMost, `one: ${all}`, `two: ${all}`].toSorted())
  const [row] = await sql`
    select expires_at from deliveries where account_id = ${accountId} limit 1`
  expect(row?.['expires_at']).toEqual(new Date(nextMonthMs(nowMs)))
})

test('sends only the 100 % mail when both thresholds are passed at once', async () => {
  expect(percents(await (await batchOf(12))())).toEqual([80, 100])
  expect(await mails()).toEqual([`one: ${all}`, `two: ${all}`])
})

test('notifies a downgraded account at the first event over the quota', async () => {
  await sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projectId}, ${monthOf(nowMs)}, 'stored', ${accountId}, ${quota * 3})`
  expect(percents(await (await batchOf(1, { outcome: 'invalid' }))())).toEqual([])
  expect(percents(await (await batchOf(1, { outcome: 'quota' }))())).toEqual([80, 100])
})

test('records a threshold of a past month without a mail', async () => {
  const receivedAt = Date.parse('2026-10-31T23:59:59.999Z')
  expect(percents(await (await batchOf(quota, { receivedAt }))())).toEqual([80, 100])
  expect(await mails()).toEqual([])
  expect(percents(await (await batchOf(8))())).toEqual([80])
})

test('sends one mail when two control planes pass a threshold together', async () => {
  const projects = new Map([[errorPartitionOf(projectId), projectId]])
  while (projects.size < 2) {
    const id = await insertTestErrorProject(sql, accountId)
    projects.set(errorPartitionOf(id), id)
  }
  const finishes = await Promise.all([...projects.values()].map((project) => batchOf(4, { project })))
  // the first transaction waits before its commit, so that the other cannot see its counts
  await owner.unsafe(`
    create function wait_at_end() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(4711); return null; end $$;
    create constraint trigger wait_at_end after insert or update on error_watermarks
      deferrable initially deferred for each row execute function wait_at_end()`)
  const waiting = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const held = owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4711)`
    locked.resolve()
    await waiting.promise
  })
  await locked.promise
  const results = finishes.map((finish) => finish())
  await expect
    .poll(async () => {
      const rows = await owner`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return rows.length
    })
    .toBe(2)
  waiting.resolve()
  await held
  const ended = await Promise.all(results)
  await owner`drop function wait_at_end cascade`
  const reached = ended.flatMap((each) => each ?? [])
  expect(reached).toEqual([{ accountId, month: '2026-11-01', percent: 80, spent: 8, quota }])
  expect(await mails()).toEqual([`one: ${most}`, `two: ${most}`])
})
