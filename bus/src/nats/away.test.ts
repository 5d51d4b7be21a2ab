import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, onTestFinished, test, vi } from 'vitest'
import { anAssignment, until } from '../contract-suite/fixtures.ts'
import type { Bus } from '../port.ts'
import { requestMsMax } from './link.ts'
import { openNatsBus } from './nats-bus.ts'

const nothing = { onPut: () => undefined, onRemove: () => undefined, onCurrent: () => undefined }
const signal = new AbortController().signal
const bounds = { messagesMax: 10, bytesMax: 1_000_000, waitMs: 1_000, signal }

const open = () => {
  const topology = { regions: ['fra'], readingsBytesMax: 8 * 1024 * 1024 }
  return openNatsBus({ servers: [server.url], name: 'test', topology })
}
const server = useOnce(() => startTestNats())

/** The result of each operation, once all have settled. */
const attemptAll = (bus: Bus) => {
  const assignment = anAssignment()
  const message = { partition: 0, region: 'fra', messageId: 'm', data: new Uint8Array([1]) }
  const request = { kind: 'manual', at: 1, number: 1, assignment } as const
  const presence = { agent: 'a', region: 'fra', version: '1', startedAt: 1 }
  const outcomes = new Map<string, string>()
  const reasons = new Map<string, string>()
  const attempts: [string, Promise<unknown>][] = [
    ['put', bus.assignments.put(assignment)],
    ['remove', bus.assignments.remove('fra', assignment.checkId)],
    ['held', bus.assignments.held('fra')],
    ['watch', bus.assignments.watch('fra', nothing)],
    ['publish', bus.readings.publish(message)],
    ['consume', bus.readings.consume(0, 'ingest')],
    ['replay', bus.readings.replay(0, 1, 1)],
    ['mark', bus.persisted.mark('fra', 'a', 0, 1)],
    ['watch marks', bus.persisted.watch('fra', 'a', () => undefined)],
    ['announce', bus.presence.announce(presence)],
    ['list agents', bus.presence.list('fra')],
    ['serve', bus.runs.serve('fra', async () => ({ agent: 'a', error: 'busy' }))],
    ['deliver', bus.events.deliver([{ kind: 'kind', payload: 1 }])],
    ['subscribe', bus.events.subscribe('kind', () => undefined)],
  ]
  for (const [name, attempt] of attempts) {
    attempt.then(
      () => outcomes.set(name, 'done'),
      (error: Error) => {
        outcomes.set(name, error.name)
        reasons.set(name, error.message)
      },
    )
  }
  const asked = bus.runs.request('fra', request, 500)
  const unavailable = Object.fromEntries(attempts.map(([name]) => [name, 'BusUnavailable']))
  return { outcomes, reasons, unavailable, asked, count: attempts.length }
}

test('nothing waits forever on a server that stopped answering, including close', async () => {
  const bus = await open()
  const consumer = await bus.readings.consume(0, 'assess')
  const served = await bus.runs.serve('fra', async () => ({ agent: 'a', error: 'busy' }))
  await server.pause()
  onTestFinished(() => server.resume())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { outcomes, reasons, unavailable, asked, count } = attemptAll(bus)
  const rest = [consumer.fetch(bounds), consumer.lag(), consumer.acknowledge(1)].map((one) =>
    one.then(
      () => 'done',
      (error: Error) => error.name,
    ),
  )
  const closedService = served.close()
  // the limit of a request, long before the connection is closed
  await vi.advanceTimersByTimeAsync(requestMsMax)
  expect(await asked).toBe('timeout')
  expect(outcomes.size).toBe(count)
  expect(Object.fromEntries(outcomes)).toEqual(unavailable)
  for (const reason of reasons.values()) expect(reason).not.toBe('the connection to nats was lost')
  await vi.advanceTimersByTimeAsync(bounds.waitMs + requestMsMax)
  expect(await Promise.all(rest)).toEqual(['BusUnavailable', 'BusUnavailable', 'done'])
  await closedService
  const closed = bus.close()
  await vi.advanceTimersByTimeAsync(requestMsMax)
  await closed
})

test('nothing waits forever on a killed server', async () => {
  const bus = await open()
  const { outcomes, count, asked } = attemptAll(bus)
  asked.catch(() => undefined)
  await server.kill()
  await until(() => outcomes.size === count)
  await bus.close()
  await server.start()
})
