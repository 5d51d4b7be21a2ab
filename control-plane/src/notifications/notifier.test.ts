import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { BusUnavailable, type Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { claimOutbox } from '../stores/outbox-store.ts'
import { startNotifier, type Notifier } from './notifier.ts'

const sql = useTestSql()
let folder: string
let bus: Bus
let notifiers: Notifier[]
let heard: unknown[]

beforeEach(async () => {
  folder = testFolder('notify-')
  bus = await openInProcessBus({ directory: folder })
  notifiers = []
  heard = []
  await bus.events.subscribe('flip', (payload) => heard.push(payload))
  await sql`delete from outbox`
})
afterEach(async () => {
  for (const notifier of notifiers) await notifier.close()
  await bus.close()
})

const start = async (over: Bus = bus): Promise<void> => {
  const log = pino({ level: 'silent' })
  notifiers.push(await startNotifier({ sql, bus: over, registry: new Registry(), log, now: Date.now }))
}
const write = async (payload: number): Promise<void> => {
  const now = new Date()
  await sql`
    insert into outbox (id, kind, payload, created_at, next_attempt_at)
    values (${uuidv7(Date.now())}, 'flip', ${sql.json(payload)}, ${now}, ${now})`
}

test('publishes rows from before and after its start, in order', async () => {
  for (const payload of [1, 2, 3, 4, 5]) await write(payload)
  await start()
  await vi.waitFor(() => expect(heard).toEqual([1, 2, 3, 4, 5]))
  await write(6)
  await sql`select pg_notify('outbox', '')`
  await vi.waitFor(() => expect(heard).toEqual([1, 2, 3, 4, 5, 6]))
  // a row is published first and marked as done then
  await vi.waitFor(async () => expect(await sql`select from outbox where done_at is null`).toHaveLength(0))
})

test('two notifiers publish each row once', async () => {
  for (let payload = 0; payload < 500; payload++) await write(payload)
  await Promise.all([start(), start()])
  await vi.waitFor(() => expect(heard).toHaveLength(500))
  expect(new Set(heard).size).toBe(500)
})

test('keeps rows while the bus is away, for another notifier or until it returns', async () => {
  let isAway = true
  const deliver: Bus['events']['deliver'] = async (events) => {
    if (isAway) throw new BusUnavailable('away')
    await bus.events.deliver(events)
  }
  await write(1)
  await start({ ...bus, events: { ...bus.events, deliver } })
  await vi.waitFor(async () => expect(await sql`select from outbox where attempts > 0`).toHaveLength(1))
  await write(2)
  await start()
  await vi.waitFor(() => expect(heard.toSorted()).toEqual([1, 2]))
  for (const notifier of notifiers.splice(1)) await notifier.close()
  await write(3)
  isAway = false
  await vi.waitFor(() => expect(heard.toSorted()).toEqual([1, 2, 3]))
})

test('publishes a row again after its claim when a notifier died', async () => {
  await write(1)
  expect(await claimOutbox(sql, ['flip'], 10, Date.now())).toHaveLength(1)
  expect(await claimOutbox(sql, ['flip'], 10, Date.now())).toHaveLength(0)
  const [again] = await claimOutbox(sql, ['flip'], 10, Date.now() + 31_000)
  expect(again).toMatchObject({ payload: 1, attempts: 2 })
})
