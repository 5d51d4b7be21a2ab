import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorEvent } from '../events/error-event.ts'
import { aStoredEvent } from '../events/testing.ts'
import { idsOf, publishEvents, publishMessage, settled, startPersistTest } from './testing.ts'

const poisonId = 'badbadbadbadbadbadbadbadbadbadba'

let at: Awaited<ReturnType<typeof startPersistTest>>
beforeAll(async () => {
  at = await startPersistTest()
  // the databases accept everything that the ingest accepts, so the test adds constraints
  await at.owner`alter table error_issues add constraint t check (title <> 'poison')`
  await at.owner.unsafe(`alter table error_event_ids add constraint t check (event_id <> '${poisonId}')`)
  await at.owner`alter table error_client_reports add constraint t check (reason <> 'poison')`
  await at.clickhouse.command({
    query: `alter table error_occurrences modify column level Enum8('error' = 1)`,
  })
})
afterAll(() => at.close())

let folder: string
let bus: Bus
let projectId: string
beforeEach(async () => {
  folder = testFolder('rejected-')
  bus = await openInProcessBus({ directory: folder })
  projectId = await at.newProject()
})
afterEach(async () => {
  await at.closePersisters()
  await bus.close()
})

const poisoned: Record<string, () => ErrorEvent> = {
  'Postgres rejects at the count': () => {
    const event = aStoredEvent(projectId, { hash: 'ef'.repeat(32) })
    return { ...event, grouping: { ...event.grouping, title: 'poison' } }
  },
  'Postgres rejects at the decision': () => aStoredEvent(projectId, { eventId: poisonId }),
  'ClickHouse rejects': () => aStoredEvent(projectId, { level: 'fatal' }),
}

test.each(Object.entries(poisoned))('drops an event that %s, and stores the others', async (_, poison) => {
  const events = Array.from({ length: 6 }, () => aStoredEvent(projectId))
  await publishEvents(bus, events.toSpliced(4, 0, poison()))
  await at.start(bus)
  await settled(bus)
  expect(await at.countsOf(projectId)).toEqual({ stored: 6, store: 1 })
  expect(await at.storedIds(projectId)).toEqual(idsOf(events))
  const later = aStoredEvent(projectId)
  await publishEvents(bus, [later])
  await settled(bus)
  expect(await at.countsOf(projectId)).toEqual({ stored: 7, store: 1 })
  expect(await at.storedIds(projectId)).toEqual(idsOf([...events, later]))
  const [issues] = await at.sql`
      select sum(occurrences)::integer as occurrences from error_issues
      where project_id = ${projectId}`
  expect(issues).toEqual({ occurrences: 7 })
})

test.each(Object.entries(poisoned))(
  'after a persister crash drops an event that %s, and stores the others',
  async (_, poison) => {
    const events = Array.from({ length: 3 }, () => aStoredEvent(projectId))
    await publishEvents(bus, [...events, poison()])
    const crashed = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    await at.start(bus, {
      onStep: async (step) => {
        if (step !== 'inserted') return
        crashed.resolve()
        await resumed.promise
      },
    })
    await crashed.promise
    await at.start(bus)
    await settled(bus)
    resumed.resolve()
    expect(await at.countsOf(projectId)).toEqual({ stored: 3, store: 1 })
    expect(await at.storedIds(projectId)).toEqual(idsOf(events))
  },
)

test('skips only the part of a tally that Postgres rejects', async () => {
  const tally = { kind: 'tally' as const, projectId, at: Date.now() }
  const report = (reason: string) => ({ category: 'error', reason, quantity: 2 })
  await publishMessage(bus, {
    ...tally,
    drops: { invalid: 3 },
    reports: [report('poison')],
    unsupported: { session: 1 },
  })
  await publishMessage(bus, {
    ...tally,
    drops: { rate: 1 },
    reports: [report('sample_rate')],
    unsupported: {},
  })
  await at.start(bus)
  await settled(bus)
  expect(await at.countsOf(projectId)).toEqual({ invalid: 3, rate: 1 })
  expect(
    await at.sql`select reason, quantity::integer from error_client_reports
      where project_id = ${projectId}`,
  ).toEqual([{ reason: 'sample_rate', quantity: 2 }])
  expect(
    await at.sql`select type, items::integer from error_unsupported_items
      where project_id = ${projectId}`,
  ).toEqual([{ type: 'session', items: 1 }])
})

test.each<[string, unknown]>([
  ['an instant out of range', { at: 9e15 }],
  ['a name with characters that Postgres rejects', { tags: { 'a\0b\ud800': 5 } }],
])('stores a message with %s as poison', async (_, over) => {
  const partition = errorPartitionOf(projectId)
  const event = { ...aStoredEvent(projectId), ...(over as object) }
  const data = Buffer.from(JSON.stringify({ version: 1, kind: 'event', event }))
  await bus.errors.publish({ partition, messageId: 'poison', data })
  await publishEvents(bus, [aStoredEvent(projectId)])
  await at.start(bus)
  await settled(bus)
  expect(await at.countsOf(projectId)).toEqual({ stored: 1 })
  const poison = await at.sql`
    select convert_from(payload, 'utf8') as payload from poison_messages
    where partition = ${partition}`
  expect(poison.filter(({ payload }) => String(payload) === data.toString())).toHaveLength(1)
})
