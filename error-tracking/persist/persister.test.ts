import { randomUUID } from 'node:crypto'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { startProxy } from '@probe-mesh/infra/testing/proxy'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { findRecentOccurrences } from '../issues/occurrences-query.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import { encodeErrorsMessage, type ErrorsMessage, type TallyMessage } from '../events/errors-message.ts'
import { errorIssueIdOf } from '../events/issue.ts'
import { aStoredEvent } from '../events/testing.ts'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { deleteErrorProject } from '../projects/error-projects-store.ts'
import type { Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import type { PersistStep } from './context.ts'
import { startErrorPersister, type ErrorPersister } from './persister.ts'

const quota = 5
const tiers = { ...tiersDefault, free: { ...tiersDefault.free, errorEventsPerMonth: quota } }

const sql = useTestSql({ role: 'probe_mesh_system' })
const store = useTestClickHouse()
const clickhouse = store.use()

let folder: string
let bus: Bus
let accountId: string
let projectId: string
let persisters: ErrorPersister[]
let logged: string[]
beforeEach(async () => {
  folder = testFolder('persist-')
  bus = await openInProcessBus({ directory: folder })
  accountId = await newAccount('scale')
  projectId = await insertTestErrorProject(sql, accountId)
  persisters = []
  logged = []
})
afterEach(async () => {
  await Promise.all(persisters.map((persister) => persister.close()))
  await bus.close()
})

const newAccount = async (tier: 'free' | 'scale'): Promise<string> => {
  const id = uuidv7(Date.now())
  await insertAccount(sql, { id, name: 'test', tier, createdAtMs: Date.now() })
  return id
}
type Options = {
  leases?: readonly Lease[]
  store?: ClickHouse
  onStep?: (step: PersistStep) => Promise<void>
}
/** Starts a persister with these leases. Default: it takes over all leases. */
const start = async (options: Options = {}): Promise<ErrorPersister> => {
  const { store: occurrences = clickhouse, onStep = () => Promise.resolve() } = options
  const persister = startErrorPersister({
    sql,
    clickhouse: occurrences,
    bus,
    tiers,
    registry: new Registry(),
    log: pino({ level: 'warn' }, { write: (line: string) => logged.push(line) }),
    now: Date.now,
    gatherMs: 0,
    onStep,
  })
  persisters.push(persister)
  for (const lease of options.leases ?? (await acquireTestLeases(sql))) persister.take(lease)
  return persister
}
const publish = (message: ErrorsMessage): Promise<unknown> =>
  bus.errors.publish({
    partition: errorPartitionOf('event' in message ? message.event.projectId : message.projectId),
    messageId: randomUUID(),
    data: encodeErrorsMessage(message),
  })
const publishEvents = async (...events: ErrorEvent[]): Promise<void> => {
  for (const event of events) await publish({ kind: 'event', event })
}
const drops = (counts: TallyMessage['drops']): ErrorsMessage => ({
  kind: 'tally',
  projectId,
  at: Date.now(),
  drops: counts,
  reports: [],
  unsupported: {},
})
const countsOf = async (project = projectId): Promise<Record<string, number>> => {
  const rows = await sql<{ outcome: string; events: string }[]>`
    select outcome, events from error_counts where project_id = ${project}`
  return Object.fromEntries(rows.map((row) => [row.outcome, Number(row.events)]))
}
const storedIds = async (project = projectId): Promise<string[]> => {
  const result = await clickhouse.query({
    query: 'select event_id from error_occurrences where project_id = {project:UUID}',
    query_params: { project },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ event_id: string }>()
  return rows.map((row) => row.event_id.replaceAll('-', '')).toSorted()
}
/** Waits until all published messages are acknowledged. */
const settled = async (): Promise<void> => {
  for (let partition = 0; partition < limits.errorPartitions; partition++) {
    const consumer = await bus.errors.consume(partition, 'persist')
    await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0), { interval: 20 })
    await consumer.close()
  }
}
const idsOf = (events: readonly ErrorEvent[]) => events.map(({ eventId }) => eventId).toSorted()

test('stores an event as an occurrence, an issue and counts', async () => {
  const t0 = Date.now() - 60_000
  const first = aStoredEvent(projectId, { at: t0, receivedAt: t0 })
  const second = aStoredEvent(projectId, { at: t0 + 1_000, receivedAt: t0 + 1_000, release: null })
  await publishEvents(first, second, aStoredEvent(projectId, { hash: 'cd'.repeat(32) }))
  await publish({
    kind: 'tally',
    projectId,
    at: t0,
    drops: { invalid: 2, quota: 1 },
    reports: [{ category: 'error', reason: 'ratelimit_backoff', quantity: 7 }],
    unsupported: { session: 3 },
  })
  await start()
  await settled()
  expect(await countsOf()).toEqual({ stored: 3, invalid: 2, quota: 1 })
  const id = errorIssueIdOf(projectId, first.grouping)
  const issues = await sql`
    select id, title, culprit, status, occurrences::integer, first_seen, last_seen from error_issues
    where project_id = ${projectId} and id = ${id}`
  expect(issues).toEqual([
    {
      id,
      title: first.grouping.title,
      culprit: 'render',
      status: 'unresolved',
      occurrences: 2,
      first_seen: new Date(t0),
      last_seen: new Date(t0 + 1_000),
    },
  ])
  expect(
    await sql`select release, occurrences::integer from error_issue_releases
    where issue_id = ${id}`,
  ).toEqual([{ release: 'shop@1.0.0', occurrences: 1 }])
  expect(
    await sql`select category, reason, quantity::integer from error_client_reports
    where project_id = ${projectId}`,
  ).toEqual([{ category: 'error', reason: 'ratelimit_backoff', quantity: 7 }])
  expect(
    await sql`select type, items::integer from error_unsupported_items
    where project_id = ${projectId}`,
  ).toEqual([{ type: 'session', items: 3 }])
  expect(await findRecentOccurrences(clickhouse, { id, projectId }, 10)).toEqual([
    expect.objectContaining({ id: second.eventId, release: null }),
    {
      id: first.eventId,
      at: new Date(t0).toISOString(),
      release: 'shop@1.0.0',
      message: first.message,
      frames: first.frames,
      context: {
        ...first.context,
        tags: first.tags,
        type: 'TypeError',
        level: 'error',
        platform: 'node',
        environment: 'production',
      },
    },
  ])
})

test('a repeated event id is a duplicate within its project, in the same or a later batch', async () => {
  const other = await insertTestErrorProject(sql, accountId)
  const event = aStoredEvent(projectId)
  await publishEvents(event, event)
  await start()
  await settled()
  await publishEvents(event, { ...event, projectId: other })
  await settled()
  expect(await countsOf()).toEqual({ stored: 1, duplicate: 2 })
  expect(await countsOf(other)).toEqual({ stored: 1 })
  expect(await storedIds()).toEqual([event.eventId])
})

const steps = ['fetched', 'recorded', 'inserted', 'counted', 'acknowledged'] as const

test.each(steps)(
  'a persister crash after the step "%s" loses nothing and counts nothing twice',
  async (crashStep) => {
    const events = Array.from({ length: 4 }, () => aStoredEvent(projectId))
    await publishEvents(...events, events[0] ?? aStoredEvent(projectId))
    await publish(drops({ invalid: 1 }))
    const crashed = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    await start({
      onStep: async (step) => {
        if (step !== crashStep) return
        crashed.resolve()
        await resumed.promise
      },
    })
    await crashed.promise
    const after = [aStoredEvent(projectId), aStoredEvent(projectId)]
    await start()
    await publishEvents(...after)
    await settled()
    const expected = { stored: 6, duplicate: 1, invalid: 1 }
    expect(await countsOf()).toEqual(expected)
    // the paused persister continues and changes nothing
    resumed.resolve()
    await Promise.all(persisters.splice(0).map((persister) => persister.close()))
    expect(await countsOf()).toEqual(expected)
    expect(await storedIds()).toEqual(idsOf([...events, ...after]))
    expect(
      await sql`select occurrences::integer from error_issues
      where project_id = ${projectId}`,
    ).toEqual([{ occurrences: 6 }])
  },
)

test('enforces a quota exactly with concurrent and interrupted batches', async () => {
  accountId = await newAccount('free')
  // two projects of one account in two partitions
  const projects = new Map<number, string>()
  while (projects.size < 2) {
    const id = await insertTestErrorProject(sql, accountId)
    projects.set(errorPartitionOf(id), id)
  }
  const [a = '', b = ''] = projects.values()
  await publishEvents(...Array.from({ length: 4 }, () => aStoredEvent(a)))
  await publishEvents(...Array.from({ length: 4 }, () => aStoredEvent(b)))
  const crashed = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const recorded: PersistStep[] = []
  await start({
    onStep: async (step) => {
      if (step !== 'recorded') return
      recorded.push(step)
      // both batches are recorded and neither is counted
      if (recorded.length === 2) crashed.resolve()
      await resumed.promise
    },
  })
  await crashed.promise
  await start()
  await settled()
  const [ofA, ofB] = [await countsOf(a), await countsOf(b)]
  expect((ofA['stored'] ?? 0) + (ofB['stored'] ?? 0)).toBe(quota)
  expect((ofA['quota'] ?? 0) + (ofB['quota'] ?? 0)).toBe(8 - quota)
  expect([...(await storedIds(a)), ...(await storedIds(b))]).toHaveLength(quota)
  const reached = logged.flatMap((line) => /"percent":(\d+),"spent":\d+,"quota":5/.exec(line)?.[1] ?? [])
  expect(reached.toSorted()).toEqual(['100', '80'])
  resumed.resolve()
  // events of a deleted project still count towards the quota
  await sql.begin((tx) =>
    deleteErrorProject(
      tx,
      { id: a, accountId },
      { month: `${new Date().toISOString().slice(0, 7)}-01`, nowMs: Date.now() },
    ),
  )
  await publishEvents(aStoredEvent(b))
  await settled()
  expect(await countsOf(b)).toEqual({ ...ofB, quota: (ofB['quota'] ?? 0) + 1 })
})

test('events that arrive while ClickHouse is unavailable are stored and counted once afterwards', async () => {
  const proxy = await startProxy(Number(new URL(store.url).port))
  const url = new URL(store.url)
  url.port = String(proxy.port)
  const proxied = connectClickHouse(url.href)
  try {
    proxy.refuse()
    const events = Array.from({ length: 3 }, () => aStoredEvent(projectId))
    await publishEvents(...events)
    await start({ store: proxied })
    await vi.waitFor(async () => {
      const rows = await sql`select from error_batches where partition = ${errorPartitionOf(projectId)}`
      expect(rows).toHaveLength(1)
    })
    expect(await countsOf()).toEqual({})
    proxy.pass()
    await settled()
    expect(await countsOf()).toEqual({ stored: 3 })
    expect(await storedIds()).toEqual(idsOf(events))
  } finally {
    await Promise.all(persisters.splice(0).map((persister) => persister.close()))
    await proxied.close()
    await proxy.close()
  }
})

test('keeps unreadable messages as poison and stores all others as events', async () => {
  const partition = errorPartitionOf(projectId)
  await bus.errors.publish({ partition, messageId: 'broken', data: Buffer.from('{"version":2}') })
  await publishEvents(aStoredEvent(projectId))
  await start()
  await settled()
  expect(await countsOf()).toEqual({ stored: 1 })
  const poison = await sql`select reason from poison_messages where partition = ${partition}`
  expect(poison.map((row) => String(row['reason']))).toContainEqual(expect.stringMatching(/^error event/))
})

test('discards events of a project deleted before the insert', async () => {
  const event = aStoredEvent(projectId)
  await publishEvents(event)
  const recorded = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  await start({
    onStep: async (step) => {
      if (step !== 'recorded') return
      recorded.resolve()
      await resumed.promise
    },
  })
  await recorded.promise
  const month = `${new Date().toISOString().slice(0, 7)}-01`
  await sql.begin((tx) => deleteErrorProject(tx, { id: projectId, accountId }, { month, nowMs: Date.now() }))
  await sql`update deleted_error_projects set purged_at = now() where project_id = ${projectId}`
  resumed.resolve()
  await settled()
  // the insert followed the purge, so the project has to be purged again
  const [row] = await sql`select purged_at from deleted_error_projects where project_id = ${projectId}`
  expect(row).toEqual({ purged_at: null })
})

const resolve = (inNextRelease: boolean, atMs: number) => sql`
  update error_issues set status = 'resolved', resolved_at = ${new Date(atMs)},
    resolved_in_next_release = ${inNextRelease} where project_id = ${projectId}`
const statusNow = async () => {
  const [row] = await sql<{ status: string; regressed: boolean; release: string | null }[]>`
    select status, regressed_at is not null as regressed, regressed_release as release from error_issues
    where project_id = ${projectId}`
  return row
}

test.each<[string, 'resolved' | 'unresolved', boolean, Partial<ErrorEvent>]>([
  ['an occurrence from before the resolution keeps an issue', 'resolved', false, { at: -2_000 }],
  ['an occurrence from after the resolution makes an issue', 'unresolved', false, { at: 1_000 }],
  ['a known release keeps an issue that waits for the next one', 'resolved', true, { release: 'shop@1.0.0' }],
  ['a missing release keeps an issue that waits for the next one', 'resolved', true, { release: null }],
  ['a new release makes an issue that waits for it', 'unresolved', true, { release: 'shop@1.0.1' }],
])('%s %s', async (_, status, inNextRelease, over) => {
  const resolvedAt = Date.now() - 10_000
  const known = aStoredEvent(projectId, { at: resolvedAt - 5_000, receivedAt: resolvedAt - 5_000 })
  await publishEvents(known)
  await start()
  await settled()
  await resolve(inNextRelease, resolvedAt)
  const at = resolvedAt + (over.at ?? 1_000)
  await publishEvents(aStoredEvent(projectId, { ...over, at, receivedAt: resolvedAt + 2_000 }))
  await settled()
  const regressed = status === 'unresolved'
  const release = regressed ? (over.release ?? known.release) : null
  expect(await statusNow()).toEqual({ status, regressed, release })
})
