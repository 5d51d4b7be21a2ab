import { randomBytes, randomUUID } from 'node:crypto'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { spikeDefault } from '../contracts/error-rule.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startErrorPersister, type ErrorPersister } from '../persist/persister.ts'
import type { PersistStep } from '../persist/context.ts'
import type { ErrorRuleRecord } from './error-rule.ts'
import { singlesPerHourMax } from './hour-bound.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import { encodeErrorsMessage } from '../events/errors-message.ts'
import { errorIssueIdOf } from '../events/issue.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertErrorRule } from './error-rules-store.ts'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { processErrorNotices, sendDueDigest } from './process-error-notices.ts'
import { alertScenario } from '@probe-mesh/control-plane/src/app/alerting/testing'

const sql = useTestSql({ role: 'probe_mesh_system' })
const clickhouse = useClickHouse()

let folder: string
let bus: Bus
let game: ReturnType<typeof alertScenario>
let accountId: string
let projectId: string
let channelId: string
let persisters: ErrorPersister[]
beforeEach(async () => {
  folder = testFolder('error-notices-')
  bus = await openInProcessBus({ directory: folder })
  game = alertScenario(sql)
  game.clock.nowMs = Date.now() + 60_000
  accountId = await game.account()
  channelId = await game.channel(accountId)
  projectId = await insertTestErrorProject(sql, accountId)
  persisters = []
})
afterEach(async () => {
  await Promise.all(persisters.map((persister) => persister.close()))
  await bus.close()
})

const rule = async (more: Partial<ErrorRuleRecord> = {}): Promise<ErrorRuleRecord> => {
  const made: ErrorRuleRecord = {
    id: uuidv7(game.clock.nowMs),
    accountId,
    name: 'errors',
    enabled: true,
    projectIds: null,
    events: ['new_issue', 'regression'],
    spike: spikeDefault,
    channelIds: null,
    emailUsers: false,
    createdAtMs: game.clock.nowMs,
    ...more,
  }
  await insertErrorRule(sql as never, made)
  return made
}
const start = async (
  onStep: (step: PersistStep) => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  const persister = startErrorPersister({
    sql,
    clickhouse,
    bus,
    tiers: tiersDefault,
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: Date.now,
    onStep,
  })
  persisters.push(persister)
  for (const lease of await acquireTestLeases(sql)) persister.take(lease)
}
/** Publishes events and waits until they are counted. */
const arrive = async (...events: ErrorEvent[]): Promise<void> => {
  for (const event of events) {
    await bus.errors.publish({
      partition: errorPartitionOf(event.projectId),
      messageId: randomUUID(),
      data: encodeErrorsMessage({ kind: 'event', event }),
    })
  }
  const consumer = await bus.errors.consume(errorPartitionOf(projectId), 'persist')
  await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0), { interval: 20 })
  await consumer.close()
}
const aNewOne = (over: Parameters<typeof aStoredEvent>[1] = {}): ErrorEvent => {
  const hash = randomBytes(32).toString('hex')
  const grouping = { version: 1, hash, title: 'Error: <b>no</b>', culprit: null }
  return aStoredEvent(projectId, { grouping, ...over })
}
/** All outbox rows about errors, processed or not. */
const calls = () => sql`
  select from outbox where kind = 'error' and payload ->> 'accountId' = ${accountId}`
const act = async (): Promise<void> => {
  while ((await processErrorNotices(game.context)) > 0);
  while ((await sendDueDigest(game.context)) > 0);
}

test('notifies once about a new issue and again when a resolved issue comes back', async () => {
  await rule()
  await start()
  const first = aNewOne()
  await arrive(first)
  await act()
  const again = aStoredEvent(projectId, { grouping: first.grouping })
  await arrive(again)
  // one row only: a suppressed duplicate would count towards the hourly limit
  expect(await calls()).toHaveLength(1)
  await act()
  const [told, ...others] = await game.deliveries(accountId)
  expect(others).toEqual([])
  const issueId = errorIssueIdOf(projectId, first.grouping)
  expect(told).toMatchObject({
    channelId,
    message: {
      event: 'alert',
      title: 'New error issue in web: Error: <b>no</b>',
      url: `https://mesh.example.org/dashboard/errors/${projectId}/issues/${issueId}`,
    },
  })
  expect(told?.message.facts).toContainEqual({ name: 'Release', value: 'shop@1.0.0' })
  await sql`
    update error_issues set status = 'resolved', resolved_at = ${new Date(Date.now() - 1_000)}
    where id = ${issueId}`
  await arrive(aStoredEvent(projectId, { grouping: first.grouping }))
  await act()
  expect(await game.titles(accountId)).toEqual([
    'New error issue in web: Error: <b>no</b>',
    'A resolved error issue came back in web: Error: <b>no</b>',
  ])
})

test.each(['recorded', 'inserted', 'counted', 'acknowledged'] as const)(
  'sends one message when a persister dies after it %s, with several alerters',
  async (step) => {
    await rule()
    let dies: () => void = () => undefined
    const died = new Promise<void>((resolve) => {
      dies = resolve
    })
    await start((at) => {
      if (at !== step) return Promise.resolve()
      dies()
      // as if killed: nothing follows
      return new Promise(() => undefined)
    })
    const event = aNewOne()
    const published = bus.errors.publish({
      partition: errorPartitionOf(projectId),
      messageId: randomUUID(),
      data: encodeErrorsMessage({ kind: 'event', event }),
    })
    await Promise.all([published, died])
    persisters = []
    await start()
    await arrive()
    await vi.waitFor(async () => {
      const [row] = await sql`select occurrences::integer from error_issues where project_id = ${projectId}`
      expect(row).toEqual({ occurrences: 1 })
    })
    // several control planes at once
    await Promise.all([act(), act(), act()])
    await act()
    expect(await game.titles(accountId)).toHaveLength(1)
  },
)

test('sends one message when an alerter dies before its commit', async () => {
  await rule()
  await start()
  await arrive(aNewOne())
  const dying = {
    ...game.context,
    metrics: {
      ...game.context.metrics,
      errorNotices: {
        inc: () => {
          throw Object.assign(new Error('killed'), { code: 'ECONNRESET' })
        },
      },
    },
  }
  await expect(processErrorNotices(dying as never)).rejects.toThrow('killed')
  expect(await game.titles(accountId)).toEqual([])
  await act()
  expect(await game.titles(accountId)).toHaveLength(1)
})

test('counts issues beyond the hourly limit and sends them as one message, none lost and none twice', async () => {
  const { id } = await rule()
  await start()
  const many = singlesPerHourMax + 214
  await arrive(...Array.from({ length: many }, () => aNewOne()))
  await act()
  expect(await game.titles(accountId)).toHaveLength(singlesPerHourMax)
  const [state] = await sql`
    select (bound #>> '{waiting,counts,new_issue}')::integer as waiting, tell_at is not null as due
    from error_rule_states where rule_id = ${id}`
  expect(state).toEqual({ waiting: 214, due: true })
  game.pass(3_600_000)
  await Promise.all([act(), act()])
  const titles = await game.titles(accountId)
  expect(titles).toHaveLength(singlesPerHourMax + 1)
  expect(titles).toContain('214 more new error issues')
  // the next hour is a new one
  await arrive(aNewOne())
  await act()
  expect(await game.titles(accountId)).toHaveLength(singlesPerHourMax + 2)
})

test('notifies only about events that a rule names, once for each receiver', async () => {
  const other = await insertTestErrorProject(sql, accountId)
  await rule()
  await rule({ projectIds: [projectId] })
  await rule({ projectIds: [other] })
  await rule({ channelIds: [] })
  await rule({ enabled: false })
  await start()
  await arrive(aNewOne())
  await act()
  expect(await game.titles(accountId)).toHaveLength(1)
})

test('writes nothing when no rule applies and sends nothing about a deleted issue', async () => {
  await rule({ events: ['regression'] })
  await start()
  await arrive(aNewOne())
  expect(await calls()).toHaveLength(0)
  await rule()
  await arrive(aNewOne())
  expect(await calls()).toHaveLength(1)
  await sql`delete from error_issues where project_id = ${projectId}`
  await act()
  expect(await game.titles(accountId)).toEqual([])
  expect(await sql`select from outbox where kind = 'error' and done_at is null`).toHaveLength(0)
})
