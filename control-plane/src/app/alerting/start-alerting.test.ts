import { randomUUID } from 'node:crypto'
import { spikeDefault } from '@probe-mesh/error-tracking/contracts/error-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { insertOccurrences } from '@probe-mesh/error-tracking/persist/insert-occurrences'
import { aStoredEvent } from '@probe-mesh/error-tracking/events/testing'
import { insertErrorNotices } from '@probe-mesh/error-tracking/alert/error-notices-store'
import { insertErrorRule } from '@probe-mesh/error-tracking/alert/error-rules-store'
import { insertTestErrorIssues, insertTestErrorProject } from '../../stores/postgres/testing.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { startAlerting } from './start-alerting.ts'
import { alertScenario } from './testing.ts'
import { createUnsubscribeTokens } from '../../accounts/link-tokens.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
const clickhouse = useClickHouse()

/** A new issue and a spike that an error rule watches, in an account with a channel. */
const plantErrors = async () => {
  const nowMs = Date.now()
  const game = alertScenario(sql)
  game.clock.nowMs = nowMs
  const accountId = await game.account()
  await game.channel(accountId)
  const projectId = await insertTestErrorProject(sql, accountId, { createdAtMs: nowMs })
  const [issue] = await insertTestErrorIssues(sql, { accountId, projectId }, [
    { title: 'no', firstSeenMs: nowMs, lastSeenMs: nowMs },
  ])
  const issueId = issue?.id ?? ''
  await transact(sql, async (tx) => {
    await insertErrorRule(tx, {
      id: uuidv7(nowMs),
      accountId,
      name: 'all',
      enabled: true,
      projectIds: null,
      events: ['new_issue', 'spike'],
      spike: { ...spikeDefault, eventsMin: 10 },
      channelIds: null,
      emailUsers: false,
      createdAtMs: nowMs,
    })
    const notice = { kind: 'new_issue', issueId, projectId, accountId, atMs: nowMs } as const
    await insertErrorNotices(tx, [{ ...notice, releases: [] }], nowMs)
  })
  const receivedAt = nowMs - 10 * 60_000
  const rows = Array.from({ length: 10 }, () => ({
    event: aStoredEvent(projectId, { at: receivedAt, receivedAt }),
    issueId,
    keepDays: 90,
  }))
  const batch = randomUUID()
  await insertOccurrences(clickhouse, rows, { batch, token: batch })
  return { game, accountId }
}

const start = (errorTracking?: 'on' | 'off') =>
  startAlerting({
    sql,
    clickhouse,
    publicUrl: 'https://mesh.example.org',
    tokens: createUnsubscribeTokens('the key of the tests'),
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: Date.now,
    operatorChannel: null,
    look: async () => ({ notices: [], heard: [] }),
    isOurs: () => false,
    ...(errorTracking && { errorTracking }),
  })
/** Whether spikes were looked for, and the notices that wait. */
const progress = async (): Promise<unknown[]> => {
  const [state] = await sql`select looked_at is not null as looked from error_rule_states`
  const open = await sql`select from outbox where kind = 'error' and done_at is null`
  return [state?.['looked'] ?? false, open.length]
}

test('while error tracking is off its notices wait, and other alerts are sent', async () => {
  const { game, accountId } = await plantErrors()
  await game.rule(accountId)
  await game.flip(await game.checks(accountId, ['web']), 'down')
  const plane = await start('off')
  const sent = async () => expect(await game.titles(accountId)).toHaveLength(1)
  await vi.waitFor(sent, { interval: 20 })
  // ends the round, whose last steps would be those of errors
  await plane.close()
  expect(await game.titles(accountId)).toEqual([expect.stringContaining('web')])
  expect(await progress()).toEqual([false, 1])
  await sql`delete from outbox`
  await sql`delete from error_rules`
})

test('three control planes notify once about a new issue and once about a spike', async () => {
  const { game, accountId } = await plantErrors()
  const planes = await Promise.all([start(), start(), start()])
  await vi.waitFor(async () => expect(await progress()).toEqual([true, 0]), { interval: 20 })
  await Promise.all(planes.map((plane) => plane.close()))
  expect((await game.titles(accountId)).toSorted()).toEqual([
    'More errors than usual in web',
    'New error issue in web: no',
  ])
})
