import { randomUUID } from 'node:crypto'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { startTestNats, type TestNats } from '@probe-mesh/infra/testing/nats'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTally, type Tally } from '../accept/tally.ts'
import type { ErrorEvent } from '../events/error-event.ts'
import { aStoredEvent } from '../events/testing.ts'
import { encodeErrorsMessage } from '../events/errors-message.ts'
import { acquireTestLeases } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import type { PersistStep } from './context.ts'
import { idsOf, publishEvents, settled, startPersistTest } from './testing.ts'

let at: Awaited<ReturnType<typeof startPersistTest>>
let server: TestNats
beforeAll(async () => {
  ;[at, server] = await Promise.all([startPersistTest(), startTestNats()])
})
afterAll(async () => {
  await Promise.all([at.close(), server.close()])
})

/** The connections of two control planes. */
let one: Bus
let other: Bus
let projectId: string
const open = () => openNatsBus({ servers: [server.url], name: 'test', topology: { regions: [] } })
beforeEach(async () => {
  ;[one, other] = [await open(), await open()]
  projectId = await at.newProject()
})
afterEach(async () => {
  await at.closePersisters()
  await Promise.all([one.close(), other.close()])
})
const someEvents = (count: number) => Array.from({ length: count }, () => aStoredEvent(projectId))

test('stores each event once while leases move at every step', async () => {
  const all = someEvents(4)
  await publishEvents(one, all)
  const steps: PersistStep[] = ['fetched', 'recorded', 'inserted', 'counted']
  const resumed = Promise.withResolvers<void>()
  for (const [turn, crashStep] of steps.entries()) {
    const stopped = Promise.withResolvers<void>()
    // it stays paused there with its leases while the other one takes over
    await at.start(turn % 2 === 0 ? one : other, {
      onStep: async (step) => {
        if (step !== crashStep) return
        stopped.resolve()
        await resumed.promise
      },
    })
    await stopped.promise
    const more = someEvents(3)
    await publishEvents(other, more)
    all.push(...more)
  }
  await at.start(other)
  await settled(other)
  resumed.resolve()
  await at.closePersisters()
  expect(await at.countsOf(projectId)).toEqual({ stored: all.length })
  expect(await at.storedIds(projectId)).toEqual(idsOf(all))
})

test('the next owner of a released lease resumes where the previous one stopped', async () => {
  const first = someEvents(2)
  const [leases, second] = [await acquireTestLeases(at.sql), someEvents(2)]
  await publishEvents(one, first)
  const persister = await at.start(one, { leases })
  await settled(one)
  await Promise.all(leases.map((lease) => persister.leave(lease, 'released')))
  await publishEvents(one, second)
  await at.start(other)
  await settled(other)
  expect(await at.countsOf(projectId)).toEqual({ stored: 4 })
  expect(await at.storedIds(projectId)).toEqual(idsOf([...first, ...second]))
})

test('stores each event once after the stream is killed and restarted', async () => {
  const events = someEvents(5)
  await publishEvents(one, events)
  const stopped = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  await at.start(one, {
    onStep: async (step) => {
      if (step !== 'inserted') return
      stopped.resolve()
      await resumed.promise
    },
  })
  await stopped.promise
  await server.kill()
  resumed.resolve()
  await server.start()
  await vi.waitFor(async () => expect(await at.countsOf(projectId)).toEqual({ stored: 5 }))
  expect(await at.storedIds(projectId)).toEqual(idsOf(events))
})

/** Publishes like the ingest does. @returns whether the stream acknowledged the event */
const publish = async (tally: Tally, event: ErrorEvent): Promise<boolean> => {
  const messageId = randomUUID()
  const data = encodeErrorsMessage({ kind: 'event', event })
  try {
    await one.errors.publish({ partition: errorPartitionOf(projectId), messageId, data })
    return true
  } catch {
    tally.dropUnconfirmed({ projectId, messageId, eventId: event.eventId })
    return false
  }
}
const startTally = (now: () => number = Date.now): Tally =>
  createTally({ errors: one.errors, log: pino({ level: 'silent' }), now })

test('counts each event of a stream outage once, when the stream is back', async () => {
  await at.start(other)
  const tally = startTally()
  const before = someEvents(2)
  const acknowledged = await Promise.all(before.map((event) => publish(tally, event)))
  expect(acknowledged).toEqual([true, true])
  await server.kill()
  const lost = await Promise.all(someEvents(5).map((event) => publish(tally, event)))
  expect(lost).toEqual(Array.from({ length: 5 }, () => false))
  await server.start()
  await vi.waitFor(() => expect(tally.waiting()).toBe(0))
  await vi.waitFor(async () => expect(await at.countsOf(projectId)).toEqual({ stored: 2, store: 5 }))
  expect(await at.storedIds(projectId)).toEqual(idsOf(before))
  await tally.close()
})

test('an event without a publish acknowledgement is stored or dropped, never both', async () => {
  await at.start(other)
  const tally = startTally()
  const events = someEvents(6)
  await server.pause()
  // the events wait in the socket of the paused server; the ingest would have answered 503
  expect(await Promise.all(events.map((event) => publish(tally, event)))).not.toContain(true)
  server.resume()
  await vi.waitFor(() => expect(tally.waiting()).toBe(0))
  await settled(other)
  const { stored = 0, store = 0, ...rest } = await at.countsOf(projectId)
  expect({ total: stored + store, rest }).toEqual({ total: events.length, rest: {} })
  expect(await at.storedIds(projectId)).toHaveLength(stored)
  await tally.close()
})

test('an event without a publish acknowledgement counts once after the deduplication time of the stream', async () => {
  await at.start(other)
  let aheadMs = 0
  const tally = startTally(() => Date.now() + aheadMs)
  const [published, lost] = [aStoredEvent(projectId), aStoredEvent(projectId)]
  // the stream has the first one without an acknowledgement, and never got the second one
  await publishEvents(one, [published])
  await settled(other)
  await server.kill()
  for (const { eventId } of [published, lost]) {
    tally.dropUnconfirmed({ projectId, messageId: randomUUID(), eventId })
  }
  aheadMs = 60 * 60_000
  await server.start()
  await vi.waitFor(() => expect(tally.waiting()).toBe(0))
  await vi.waitFor(async () => expect(await at.countsOf(projectId)).toEqual({ stored: 1, store: 1 }))
  await tally.close()
})
