import { randomUUID } from 'node:crypto'
import { spikeDefault, type SpikeTerms } from '../contracts/error-rule.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { connectClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { insertOccurrences } from '../persist/insert-occurrences.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertErrorRule } from './error-rules-store.ts'
import {
  insertTestErrorIssues,
  insertTestErrorProject,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { checkNextSpikeRule, type SpikeContext } from './check-spikes.ts'
import { alertScenario } from '@probe-mesh/control-plane/src/app/alerting/testing'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** An hour ago and relative to now, so that stored rows are not expired. */
const untilMs = Math.floor((Date.now() - hourMs) / minuteMs) * minuteMs

const sql = useTestSql({ role: 'probe_mesh_system' })
const clickhouse = useClickHouse()

let game: ReturnType<typeof alertScenario>
let context: SpikeContext
let accountId: string
let projectId: string
beforeEach(async () => {
  await sql`delete from error_rules`
  game = alertScenario(sql)
  game.clock.nowMs = untilMs
  context = { ...game.context, clickhouse }
  accountId = await game.account()
  await game.channel(accountId)
  projectId = await insertTestErrorProject(sql, accountId, { createdAtMs: untilMs - 9 * dayMs })
})

const rule = async (spike: Partial<SpikeTerms> = {}): Promise<string> => {
  const id = uuidv7(untilMs)
  await insertErrorRule(sql as never, {
    id,
    accountId,
    name: 'errors',
    enabled: true,
    projectIds: null,
    events: ['spike'],
    spike: { ...spikeDefault, spanMinutes: 5, eventsMin: 10, factor: 3, ...spike },
    channelIds: null,
    emailUsers: false,
    createdAtMs: untilMs,
  })
  return id
}
/** @param agoMs the time between the arrival and `untilMs` */
const arrive = (count: number, agoMs: number, issueId: string = randomUUID()): Promise<void> => {
  const receivedAt = untilMs - agoMs
  const rows = Array.from({ length: count }, () => ({
    // client clocks can be wrong: the time of an event differs from its arrival
    event: aStoredEvent(projectId, { at: receivedAt - 2 * hourMs, receivedAt }),
    issueId,
    keepDays: 90,
  }))
  const batch = randomUUID()
  return insertOccurrences(clickhouse, rows, { batch, token: batch })
}
const check = async (atMs = untilMs): Promise<void> => {
  game.clock.nowMs = atMs
  while ((await checkNextSpikeRule(context, atMs)) !== null);
}
const spikes = () => sql<{ issue_id: string | null; over: boolean }[]>`
  select issue_id, ended_at is not null as over from error_spikes where account_id = ${accountId}
  order by began_at`

test('sends one message when a spike starts and one when it ends', async () => {
  await rule()
  // a baseline of 1 event in 5 minutes
  await arrive(288, 12 * hourMs)
  await arrive(10, 1)
  await Promise.all([check(), check(), check()])
  expect(await game.titles(accountId)).toEqual(['More errors than usual in web'])
  await check(untilMs + 4 * minuteMs)
  await check(untilMs + 5 * minuteMs)
  expect(await spikes()).toEqual([{ issue_id: null, over: false }])
  await check(untilMs + 8 * minuteMs)
  expect(await spikes()).toEqual([{ issue_id: null, over: false }])
  await check(untilMs + 9 * minuteMs)
  expect(await spikes()).toEqual([{ issue_id: null, over: true }])
  expect(await game.titles(accountId)).toEqual([
    'More errors than usual in web',
    'No more errors than usual in web, after 9 min',
  ])
})

test.each([
  ['fewer events than the minimum', 9, 0],
  // a baseline of 4 events in 5 minutes
  ['fewer events than the factor times the baseline', 10, 288 * 4],
])('%s are no spike', async (_, count, before) => {
  await rule()
  await arrive(before, 12 * hourMs)
  await arrive(count, 1)
  await check()
  expect(await spikes()).toEqual([])
})

test('a span includes its start and excludes its end', async () => {
  await rule()
  await arrive(10, 0)
  await check()
  expect(await spikes()).toEqual([])
  await check(untilMs + 5 * minuteMs)
  expect(await spikes()).toHaveLength(1)
})

test('uses only the minimum count for a new project', async () => {
  await sql`update error_projects set created_at = ${new Date(untilMs - 9 * minuteMs)} where id = ${projectId}`
  await rule()
  await arrive(1_000, 6 * minuteMs)
  await arrive(10, 1)
  await check()
  expect(await spikes()).toHaveLength(1)
})

test('counts each issue separately and skips ignored issues', async () => {
  await rule({ of: 'issue' })
  const known = { firstSeenMs: untilMs - 5 * dayMs }
  const [loud, quiet, ignored] = await insertTestErrorIssues(sql, { accountId, projectId }, [
    { ...known, title: 'loud' },
    { ...known, title: 'quiet' },
    { ...known, title: 'ignored', status: 'ignored' },
  ])
  await arrive(10, 1, loud?.id)
  await arrive(9, 1, quiet?.id)
  await arrive(99, 1, ignored?.id)
  await check()
  expect(await spikes()).toEqual([{ issue_id: loud?.id, over: false }])
  expect(await game.titles(accountId)).toEqual(['More errors than usual in web: loud'])
})

test('a crashed check leaves no state, and the next check notifies once', async () => {
  await rule()
  await arrive(10, 1)
  const dying: SpikeContext = {
    ...context,
    now: () => {
      throw Object.assign(new Error('killed'), { code: 'ECONNRESET' })
    },
  }
  await expect(checkNextSpikeRule(dying, untilMs)).rejects.toThrow('killed')
  expect(await spikes()).toEqual([])
  await check()
  expect(await game.titles(accountId)).toHaveLength(1)
})

test('leaves a rule unchecked while ClickHouse is unavailable', async () => {
  const id = await rule()
  const unavailable = connectClickHouse('http://127.0.0.1:1/none')
  await expect(checkNextSpikeRule({ ...context, clickhouse: unavailable }, untilMs)).rejects.toThrow()
  await unavailable.close()
  const [state] = await sql`select looked_at from error_rule_states where rule_id = ${id}`
  expect(state).toEqual({ looked_at: null })
})
