import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { reachableUntilMs, startReachability, type Reachability } from './reachability.ts'

const log = pino({ level: 'silent' })
const closers: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test.each([
  ['nothing is known where PUBLIC_URL never led here', { reachedAtMs: null, forwardedAtMs: 5 }, 100],
  ['it was open when it was proved last', { reachedAtMs: 40, forwardedAtMs: null }, 40],
  ['a request that a proxy passed on is as good', { reachedAtMs: 40, forwardedAtMs: 70 }, 70],
  ['an old one takes nothing away', { reachedAtMs: 40, forwardedAtMs: 7 }, 40],
  ['a clock that was set back ends at now', { reachedAtMs: 140, forwardedAtMs: null }, 100],
])('%s', (_name, state, expected) => {
  expect(reachableUntilMs(state, 100)).toBe(expected)
})

/** The answer behind a proxy; null: it refuses. */
const startProxy = async (answer: (question: string) => object | null) => {
  const server = createServer((request, response) => {
    const said = answer(new URL(request.url ?? '/', 'http://a').searchParams.get('door') ?? '')
    response.statusCode = said === null ? 503 : 200
    response.end(JSON.stringify(said ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(
    () => server.closeAllConnections(),
    () => void server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const start = (publicUrl: string, secretsKey = 'of this system', now = Date.now): Reachability => {
  const door = startReachability({ publicUrl, secretsKey, isServing: () => true, now, log, paceMs: 20 })
  closers.push(door.close)
  return door
}

test('a refusing proxy makes it unreachable since the last success, until the proxy works again', async () => {
  let passes = true
  let refused = 0
  let passedMs = 0
  const now = () => Date.now() + passedMs
  const door: { of: Reachability | null } = { of: null }
  const url = await startProxy((question) => {
    if (passes) return { alive: true, door: door.of?.prove(question) }
    refused += 1
    return null
  })
  const startedAtMs = now()
  door.of = start(url, 'of this system', now)
  const until = () => door.of?.reachableUntilMs(now()) ?? 0
  await vi.waitFor(() => expect(now() - until()).toBeGreaterThan(0))
  passes = false
  await vi.waitFor(() => expect(refused).toBeGreaterThan(0))
  const before = until()
  passedMs += 10_000
  expect([until(), door.of.isReachable()]).toEqual([before, false])
  expect(before).toBeGreaterThanOrEqual(startedAtMs)
  door.of.noteForwarded()
  expect(door.of.isReachable()).toBe(true)
  expect(until()).toBeGreaterThanOrEqual(before + 10_000)
  passedMs += 10_000
  expect(door.of.isReachable()).toBe(false)
  passes = true
  await vi.waitFor(() => expect(door.of?.isReachable()).toBe(true))
})

test('another system at PUBLIC_URL proves nothing', async () => {
  const asked: string[] = []
  const url = await startProxy((question) => {
    asked.push(question)
    return { alive: true, door: other.prove(question) }
  })
  const other = start('http://127.0.0.1:1', 'of another system')
  const door = start(url)
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1))
  const nowMs = Date.now() + 60_000
  expect(door.reachableUntilMs(nowMs)).toBe(nowMs)
})
