import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { createThrottle } from './throttle.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
beforeEach(() => sql`delete from login_attempts`)

const attemptsKeptMs = 24 * 3_600_000
const rule = {
  freeAttempts: 2,
  firstWaitMs: 10_000,
  waitMsMax: 60_000,
  keptMs: attemptsKeptMs,
}
const ada = { text: 'ada', rule }
const here = { text: 'here', rule: { ...rule, freeAttempts: 3 } }
let nowMs = Date.now()
/** A process with its own memory. */
const anotherThrottle = () => createThrottle({ sql, now: () => nowMs })
const wait = (retryAfterSeconds: number) => ({ refused: 'SV-6005', retryAfterSeconds })

test('attempts are counted over all processes, with a wait in seconds', async () => {
  expect(await anotherThrottle().count([ada])).toBeNull()
  expect(await anotherThrottle().count([ada])).toBeNull()
  expect(await anotherThrottle().count([ada])).toMatchObject(wait(10))
  nowMs += 9_999
  expect(await anotherThrottle().count([ada])).toMatchObject(wait(1))
  nowMs += 1
  expect(await anotherThrottle().count([ada])).toBeNull()
  expect(await anotherThrottle().count([ada])).toMatchObject(wait(20))
})

test('a known wait needs no query, and ends in time', async () => {
  const throttle = anotherThrottle()
  for (let n = 0; n < 3; n++) await throttle.count([ada])
  await sql`delete from login_attempts`
  expect(await throttle.count([ada])).toMatchObject(wait(10))
  nowMs += 10_000
  expect(await throttle.count([ada])).toBeNull()
})

test('an attempt with several subjects counts for all of them, or for none', async () => {
  const throttle = anotherThrottle()
  await throttle.count([ada])
  await throttle.count([ada])
  expect(await throttle.count([ada, here])).toMatchObject(wait(10))
  for (let n = 0; n < 3; n++) expect(await throttle.count([here])).toBeNull()
  expect(await throttle.count([here])).toMatchObject(wait(10))
})

test('an uncounted attempt does not count, and a reset subject starts again', async () => {
  const throttle = anotherThrottle()
  for (let n = 0; n < 5; n++) {
    expect(await throttle.count([ada, here])).toBeNull()
    await throttle.uncount([ada, here])
  }
  expect(await throttle.count([ada])).toBeNull()
  await throttle.reset(ada)
  expect(await throttle.count([ada])).toBeNull()
  expect(await throttle.count([ada])).toBeNull()
})

test('attempts expire a day after the wait of the last one', async () => {
  const throttle = anotherThrottle()
  for (let n = 0; n < 2; n++) await throttle.count([ada])
  nowMs += 10_000 + attemptsKeptMs - 1
  expect(await throttle.count([ada])).toBeNull()
  expect(await throttle.count([ada])).toMatchObject(wait(20))
  nowMs += 20_000 + attemptsKeptMs
  expect(await throttle.count([ada])).toBeNull()
  expect(await throttle.count([ada])).toBeNull()
})

test('concurrent processes allow as many attempts as consecutive ones', async () => {
  // with an existing row and open connections, so that only the count makes them wait
  await anotherThrottle().count([ada])
  await Promise.all(Array.from({ length: 12 }, () => sql`select pg_sleep(0.1)`))
  const taken = await Promise.all(Array.from({ length: 20 }, () => anotherThrottle().count([ada])))
  expect(taken.filter((refusal) => refusal === null)).toHaveLength(1)
})

test('subjects are stored as hashes', async () => {
  await anotherThrottle().count([{ text: 'ada@example.org', rule }])
  const rows = await sql<{ subject: Buffer }[]>`select subject from login_attempts`
  expect(rows.map(({ subject }) => subject.length)).toEqual([32])
})
