import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { transact } from '../stores/postgres/transact.ts'
import { handOverNext } from './hand-over.ts'
import { writeSchedule, type ScheduleRecord } from './schedules-store.ts'

const hourMs = 3_600_000
const t0 = Date.parse('2026-11-20T12:00:00Z')

const sql = useTestSql({ role: 'probe_mesh_system' })
let nowMs: number
let schedule: ScheduleRecord
const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()]

beforeEach(async () => {
  nowMs = t0
  await sql`delete from accounts`
  const accountId = crypto.randomUUID()
  await sql`insert into accounts values (${accountId}, 'test', 'scale', ${new Date(t0)})`
  for (const [id, name] of [
    [ada, 'Ada'],
    [bob, 'Bob'],
  ]) {
    await sql`
      insert into users (id, account_id, email, name, password_hash, created_at)
      values (${id ?? ''}, ${accountId}, ${`${name}@example.org`}, ${name ?? ''}, '', now())`
  }
  schedule = {
    id: crypto.randomUUID(),
    accountId,
    name: 'Primary',
    timeZone: 'Europe/Berlin',
    layers: [
      {
        userIds: [ada, bob],
        handOver: '14:00',
        length: 1,
        unit: 'days',
        startDate: '2026-11-20',
        weekdays: [1, 2, 3, 4, 5, 6, 7],
      },
    ],
    overrides: [],
    feedId: crypto.randomUUID(),
  }
  await transact(sql, (tx) => writeSchedule(tx, schedule, nowMs))
})

/** Lets control planes look side by side, every ten minutes. */
const pass = async (hours: number): Promise<void> => {
  const context = { sql, publicUrl: 'https://mesh.example.org', now: () => nowMs }
  for (const endMs = nowMs + hours * hourMs; nowMs < endMs; nowMs += hourMs / 6) {
    const look = async (): Promise<void> => {
      while ((await handOverNext(context)) > 0);
    }
    await Promise.all([look(), look(), look()])
  }
}
const mails = async (): Promise<string[]> => {
  const rows = await sql<{ text: string }[]>`
    select recipient || ': ' || (message ->> 'subject') as text from deliveries order by created_at, recipient`
  return rows.map(({ text }) => text)
}

test('who begins and who ends a shift get one mail each, with control planes side by side', async () => {
  await pass(0.5)
  // the first hand-over is at 14:00 in Berlin, 13:00 UTC
  expect(await mails()).toEqual([])
  await pass(1)
  expect(await mails()).toEqual(['Ada@example.org: You are on call: Primary'])
  await pass(24)
  expect(await mails()).toEqual([
    'Ada@example.org: You are on call: Primary',
    'Ada@example.org: Your on-call shift is over: Primary',
    'Bob@example.org: You are on call: Primary',
  ])
  const [begin] = await sql<{ text: string }[]>`
    select message ->> 'text' as text from deliveries where recipient = 'Bob@example.org'`
  expect(begin?.text).toContain('until 13:00 UTC, 22 Nov.')
  expect(begin?.text).toContain(`https://mesh.example.org/dashboard/on-call/${schedule.id}`)
})

test('after a time without a control plane only the present shift is told', async () => {
  await pass(2)
  nowMs += 48 * hourMs
  await pass(1)
  // Bob's turn in between was over before it could be told
  expect(await mails()).toEqual(['Ada@example.org: You are on call: Primary'])
})

test('a change of the schedule is told at once', async () => {
  await pass(2)
  const layers = schedule.layers.map((layer) => ({ ...layer, userIds: [bob] }))
  await transact(sql, (tx) => writeSchedule(tx, { ...schedule, layers }, nowMs))
  await pass(0.5)
  expect((await mails()).slice(1)).toEqual([
    'Ada@example.org: Your on-call shift is over: Primary',
    'Bob@example.org: You are on call: Primary',
  ])
})
