import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { expect, test } from 'vitest'
import { insertTestHeartbeat } from '../../heartbeats/testing-pings.ts'
import { adviseHeartbeats } from './advise-heartbeats.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const sql = useTestSql({ role: 'probe_mesh_system' })

const look = (atMs: number) =>
  adviseHeartbeats({ sql, publicUrl: 'https://probe.example.org', now: () => atMs }, 100)
const heartbeatOf = async (members: number) => {
  const made = await insertTestHeartbeat(sql, { settings: { periodSeconds: 3_600 } })
  for (let n = 0; n < members; n++) {
    await sql`
      insert into users (id, account_id, email, password_hash, created_at)
      values (${uuidv7(Date.now())}, ${made.accountId}, ${`${n}.${made.accountId}@example.org`}, 'none', now())`
  }
  const mails = async () =>
    (
      await sql<{ subject: string; text: string }[]>`
        select message ->> 'subject' as subject, message ->> 'text' as text from deliveries
        where account_id = ${made.accountId} order by sequence`
    ).map(({ subject }) => subject)
  return { ...made, mails }
}
/** Six pings, this long apart. */
const ping = async (checkId: string, gapMs: number): Promise<void> => {
  const beginMs = Date.now() + minuteMs
  for (let n = 0; n < 6; n++) {
    const at = new Date(beginMs + n * gapMs)
    await sql`
      insert into heartbeat_runs (id, check_id, at, finished_at, outcome, stuck)
      values (${uuidv7(at.getTime())}, ${checkId}, ${at}, ${at}, 'success', false)`
  }
  await sql`
    update heartbeats set state = jsonb_set(state, '{lastPingAtMs}', to_jsonb(${beginMs + 5 * gapMs}::float8))
    where check_id = ${checkId}`
}

test('a heartbeat that was never pinged is told to each member, once', async () => {
  const { mails } = await heartbeatOf(2)
  await look(Date.now() + minuteMs)
  expect(await mails()).toEqual([])
  for (const hours of [3, 5, 30]) await look(Date.now() + hours * hourMs)
  expect(await mails()).toEqual(Array(2).fill('backup was never pinged'))
})

test('two control planes tell it once', async () => {
  const { mails } = await heartbeatOf(1)
  await Promise.all([1, 2, 3].map(() => look(Date.now() + 3 * hourMs)))
  expect(await mails()).toEqual(['backup was never pinged'])
})

test('another rhythm is told once, and again after a change of the schedule that is wrong as well', async () => {
  const { checkId, mails } = await heartbeatOf(1)
  await ping(checkId, 5 * minuteMs)
  await look(Date.now() + 2 * hourMs)
  await look(Date.now() + 4 * hourMs)
  expect(await mails()).toEqual(['backup pings more often than declared'])
  await sql`
    update checks set valid_from = valid_from + interval '1 second',
      config = jsonb_set(config, '{settings,periodSeconds}', '7200') where id = ${checkId}`
  await look(Date.now() + 6 * hourMs)
  expect(await mails()).toHaveLength(2)
})

test('a job that keeps its schedule, and a paused one, are not told', async () => {
  const regular = await heartbeatOf(1)
  await ping(regular.checkId, hourMs)
  const paused = await heartbeatOf(1)
  await sql`update checks set paused = true where id = ${paused.checkId}`
  await look(Date.now() + 8 * hourMs)
  expect([await regular.mails(), await paused.mails()]).toEqual([[], []])
})
