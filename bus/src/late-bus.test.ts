import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aReading, anAssignment, arrived } from './contract-suite/fixtures.ts'
import { openInProcessBus } from './in-process/in-process-bus.ts'
import { openLateBus, waitMsMax } from './late-bus.ts'
import { silentLogger } from './logger.ts'
import { BusUnavailable, type Bus } from './port.ts'

let directory = ''
let inner: Bus
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-late-'))
  inner = await openInProcessBus({ directory })
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await inner.close()
  rmSync(directory, { recursive: true, force: true })
})

const nothing = { onPut: () => undefined, onRemove: () => undefined, onCurrent: () => undefined }
const message = { partition: 0, region: 'fra', messageId: 'm', data: new Uint8Array([1]) }
const presence = { agent: 'a', region: 'fra', version: '1', startedAt: 1 }
const request = { kind: 'manual', at: 1, number: 1, assignment: anAssignment() } as const
const away = () => Promise.reject<Bus>(new BusUnavailable('nobody is there'))

/** Every operation of the port that can fail as unavailable. */
const operations = (bus: Bus): [string, () => Promise<unknown>][] => [
  ['assignments.put', () => bus.assignments.put(anAssignment())],
  ['assignments.remove', () => bus.assignments.remove('fra', 'x')],
  ['assignments.held', () => bus.assignments.held('fra')],
  ['assignments.watch', () => bus.assignments.watch('fra', nothing)],
  ['readings.publish', () => bus.readings.publish(message)],
  ['readings.consume', () => bus.readings.consume(0, 'ingest')],
  ['readings.replay', () => bus.readings.replay(0, 1, 1)],
  ['errors.publish', () => bus.errors.publish(message)],
  ['errors.consume', () => bus.errors.consume(0, 'persist')],
  ['errors.replay', () => bus.errors.replay(0, 1, 1)],
  ['persisted.mark', () => bus.persisted.mark('fra', 'a', 0, 1)],
  ['persisted.watch', () => bus.persisted.watch('fra', 'a', () => undefined)],
  ['runs.request', () => bus.runs.request('fra', request, 1_000)],
  ['runs.serve', () => bus.runs.serve('fra', async () => ({ agent: 'a', reading: aReading() }))],
  ['presence.announce', () => bus.presence.announce(presence)],
  ['presence.list', () => bus.presence.list('fra')],
  ['events.subscribe', () => bus.events.subscribe('kind', () => undefined)],
]

test('is unavailable and drops events until it is open', async () => {
  const bus = openLateBus({ open: () => new Promise<Bus>(() => undefined), log: silentLogger })
  expect(bus.isOpen()).toBe(false)
  for (const [name, operate] of operations(bus)) {
    await expect(operate(), name).rejects.toMatchObject({ name: 'BusUnavailable' })
  }
  expect(bus.events.publish('kind', 1)).toBeUndefined()
})

test('passes every operation to the bus once it is open', async () => {
  const asked: string[] = []
  const watched = <T extends object>(part: string, operationsOfPart: T): T =>
    new Proxy(operationsOfPart, {
      get: (target, key) => {
        asked.push(`${part}.${String(key)}`)
        return Reflect.get(target, key)
      },
    })
  const open = async (): Promise<Bus> => ({
    ...inner,
    assignments: watched('assignments', inner.assignments),
    readings: watched('readings', inner.readings),
    errors: watched('errors', inner.errors),
    persisted: watched('persisted', inner.persisted),
    runs: watched('runs', inner.runs),
    presence: watched('presence', inner.presence),
    events: watched('events', inner.events),
  })
  const bus = openLateBus({ open, log: silentLogger })
  await vi.waitUntil(() => bus.isOpen())
  for (const [, operate] of operations(bus)) await operate()
  expect(asked).toEqual(operations(bus).map(([name]) => name))
  const seen: unknown[] = []
  await bus.events.subscribe('kind', (payload) => seen.push(payload))
  bus.events.publish('kind', { n: 1 })
  await arrived(seen, 1)
  expect(seen).toEqual([{ n: 1 }])
  await bus.close()
  await expect(inner.readings.publish(message)).rejects.toMatchObject({ name: 'BusUnavailable' })
})

test('retries forever, with waits that double up to their bound', async () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const triedAt: number[] = []
  const open = () => {
    triedAt.push(Date.now())
    return triedAt.length < 12 ? away() : Promise.resolve(inner)
  }
  const bus = openLateBus({ open, log: silentLogger })
  await vi.advanceTimersByTimeAsync(12 * waitMsMax)
  expect(bus.isOpen()).toBe(true)
  const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
  const doubling = [250, 500, 1_000, 2_000, 4_000]
  expect(waits).toEqual([...doubling, ...Array<number>(6).fill(waitMsMax)])
})

test('logs wrong credentials as an error and retries', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const failures = [new BusUnavailable('nobody is there'), new Error('wrong credentials')]
  const open = async () => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    return inner
  }
  const bus = openLateBus({ open, log })
  await vi.waitUntil(() => bus.isOpen())
  expect(log.warn.mock.calls.map(([fields]) => String(fields.err))).toEqual([
    'BusUnavailable: nobody is there',
  ])
  expect(log.error.mock.calls.map(([fields]) => String(fields.err))).toEqual(['Error: wrong credentials'])
})

test('calls return listeners at the first opening and at later ones, until they close', async () => {
  const returns: (() => void)[] = []
  const { promise, resolve } = Promise.withResolvers<Bus>()
  const bus = openLateBus({ open: () => promise, log: silentLogger })
  const heard: string[] = []
  bus.onReturn(() => {
    throw new Error('a bug of the listener')
  })
  const first = bus.onReturn(() => heard.push('first'))
  bus.onReturn(() => heard.push('second'))
  resolve({
    ...inner,
    onReturn: (listener) => {
      returns.push(listener)
      return { close: async () => undefined }
    },
  })
  await vi.waitUntil(() => bus.isOpen())
  expect(heard).toEqual(['first', 'second'])
  await first.close()
  for (const back of returns) back()
  expect(heard).toEqual(['first', 'second', 'second'])
})

test('stops retrying on close', async () => {
  vi.useFakeTimers()
  let tries = 0
  const open = () => {
    tries++
    return away()
  }
  const bus = openLateBus({ open, log: silentLogger })
  await vi.advanceTimersByTimeAsync(0)
  await bus.close()
  const before = tries
  await vi.advanceTimersByTimeAsync(10 * waitMsMax)
  expect(tries).toBe(before)
  await expect(bus.assignments.held('fra')).rejects.toThrow('closed')
})

test('closes a bus that opens after closing, without waiting forever', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { promise, resolve } = Promise.withResolvers<Bus>()
  const bus = openLateBus({ open: () => promise, log: silentLogger })
  const heard: string[] = []
  bus.onReturn(() => heard.push('open'))
  const closing = bus.close()
  await vi.advanceTimersByTimeAsync(5_000)
  await closing
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  resolve({ ...inner, close: async () => close() })
  await closed
  expect(bus.isOpen()).toBe(false)
  expect(heard).toEqual([])
})
