import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { beforeEach, expect, test, vi } from 'vitest'
import { lockCheck } from '../records/check/checks-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { processFlips } from '../app/alerting/process-flips.ts'
import { alertScenario, publishChecks } from '../app/alerting/testing.ts'

const database = useTestDatabase()
/** Sees which sessions wait for locks. */
const owner = database.use({ connectionsMax: 1 })
const sql = database.use({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
let accountId: string
/** Checks of one host, so with one incident, which refers to the first. */
let first: string
let second: string
let third: string
let complaints: string[]

beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from outbox`
  game = alertScenario(sql)
  accountId = await game.account()
  const checks = await game.checks(accountId, ['a', 'b', 'c'], () => 'https://h.example.org/')
  ;[first = '', second = '', third = ''] = checks
  await publishChecks(sql, accountId, checks)
  complaints = []
})

const take = () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) })
  return processFlips({ ...game.context, log }, 200)
}
const flip = async (id: string, to: 'down' | 'operational') => {
  await game.flip([id], to)
  await take()
}
const incidents = () => sql`select check_id, status from incidents`
const untilWaiting = (count: number) =>
  vi.waitFor(async () => {
    const waiting = await owner`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    expect(waiting).toHaveLength(count)
  })

test('a check leaves an incident while its first check is deleted', async () => {
  await flip(first, 'down')
  await flip(second, 'down')
  await flip(third, 'down')
  expect(await incidents()).toHaveLength(1)
  await game.flip([third], 'operational')
  const acts: Promise<unknown>[] = []
  await transact(sql, async (tx) => {
    await tx`select from incident_members where check_id = ${second} for update`
    // it has deleted the incident, and reaches its members one by one
    acts.push(sql`delete from checks where id = ${first}`.execute())
    await untilWaiting(1)
    acts.push(take())
    await untilWaiting(2)
  })
  await Promise.all(acts)
  expect(complaints).toEqual([])
  expect(await incidents()).toHaveLength(0)
})

test('a check that would join an incident deleted in the meantime gets a separate one', async () => {
  await flip(first, 'down')
  await game.flip([second], 'down')
  let taking: Promise<unknown> | undefined
  await transact(sql, async (tx) => {
    await tx`delete from checks where id = ${first}`
    taking = take()
    await untilWaiting(1)
  })
  await taking
  expect(complaints).toEqual([])
  expect(await incidents()).toEqual([{ check_id: second, status: 'investigating' }])
})

test('a writer of a check that waits for its page does not block its incident', async () => {
  await flip(first, 'down')
  await game.flip([second], 'down')
  await transact(sql, async (tx) => {
    await lockCheck(tx, accountId, first)
    await take()
  })
  expect(complaints).toEqual([])
  expect(await incidents()).toEqual([{ check_id: first, status: 'investigating' }])
})
