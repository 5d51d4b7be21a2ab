import pino from 'pino'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { Registry } from 'prom-client'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { createFlooredPlaces } from '@probe-mesh/runtime/account-turns'
import { createKeyAuthenticator } from '../accounts/authenticate-key.ts'
import { revokeKey } from '../accounts/keys.ts'
import { startNotifier } from '../notifications/notifier.ts'
import { findKeys } from '../accounts/keys-store.ts'
import { createEventStream } from '../http/event-stream.ts'
import { createEventHub } from './event-hub.ts'
import { useTestApp, startTestApp } from './testing/test-app.ts'
import { collect, flipOf } from './testing/events.ts'
import { ownerOf } from './testing/pages.ts'

let address: string
const at = useTestApp()
const account = useOnce(() => at.account('scale'))
const other = useOnce(() => at.account('scale'))
beforeAll(async () => {
  address = await at.app.listen({ port: 0, host: '127.0.0.1' })
})

let open: AbortController[] = []
afterEach(() => {
  for (const one of open) one.abort()
  open = []
})

/** A client of the stream, which collects its text. */
const watch = async (key: string) => {
  const controller = new AbortController()
  open.push(controller)
  const response = await fetch(`${address}/v1/events`, {
    headers: { authorization: `Bearer ${key}` },
    signal: controller.signal,
  })
  const { seen, reading } = collect(response)
  return { response, seen, reading, leave: () => controller.abort() }
}

const aPlace = { release: () => undefined }

/** `places` shared places, half of them for one account, and `floors` places for accounts without any. */
const placesOf = (places: number, floors: number) => {
  const share = Math.ceil(places / 2)
  const bounds = { waiting: 0, waitingOfOwner: 0 }
  return createFlooredPlaces(
    { pool: createFairPool({ ...bounds, places, placesOfOwner: share }), share },
    { pool: createFairPool({ ...bounds, places: floors, placesOfOwner: 1 }), floor: 1 },
  )
}

describe('the places of event streams', () => {
  const hubOf = (places: number, floors: number) =>
    createEventHub({
      events: at.bus.events,
      log: { warn: () => undefined },
      onLagging: () => undefined,
      places: placesOf(places, floors),
    })
  const isStillValid = async (): Promise<boolean> => true
  const enter = (hub: ReturnType<typeof hubOf>, accountId: string, ownerId: string) => {
    const place = hub.reserve({ accountId, ownerId })
    if (typeof place === 'string') return place
    const out = new PassThrough().resume()
    hub.open({ accountId, ownerId, isStillValid }, out, place)
    return out
  }

  test('are shared: an account has its share, and a new account always gets one', async () => {
    const hub = hubOf(100, 50)
    const keys = Array.from({ length: 60 }, (_, n) => enter(hub, 'flood 0', `key ${n}`))
    expect(keys.filter((one) => one === 'share')).toHaveLength(10)
    for (let n = 1; n <= 50; n++) for (let key = 0; key < 2; key++) enter(hub, `flood ${n}`, `key ${key}`)
    expect(enter(hub, 'flood 1', 'key 3')).toBe('all')
    const victim = enter(hub, 'victim', 'key')
    expect(victim).toBeInstanceOf(PassThrough)
    expect(enter(hub, 'victim', 'other key')).toBe('all')
    await hub.close()
    await vi.waitFor(() => expect(hub.size()).toBe(0))
    expect(enter(hub, 'flood 0', 'key')).toBeInstanceOf(PassThrough)
  })

  test('are released by a client that left before its stream started', () => {
    const hub = hubOf(1, 0)
    const place = hub.reserve({ accountId: 'a', ownerId: 'k' })
    if (typeof place === 'string') throw new Error(place)
    const gone = new PassThrough().destroy()
    hub.open({ accountId: 'a', ownerId: 'k', isStillValid }, gone, place)
    expect(enter(hub, 'b', 'k')).toBeInstanceOf(PassThrough)
  })
})

describe('GET /v1/events', () => {
  test('sends the events of its account only', async () => {
    const mine = await watch(account.readKey)
    const theirs = await watch(other.readKey)
    expect(mine.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(mine.response.headers.get('ratelimit')).toMatch(/^"reads";r=\d+;t=\d+$/)
    const event = flipOf(account.id, 'mine')
    at.bus.events.publish('flip', event)
    at.bus.events.publish('flip', { kind: 'flip', accountId: account.id })
    at.bus.events.publish('flip', flipOf(other.id, 'theirs'))
    await vi.waitFor(() => expect(theirs.seen.text).toContain('theirs'))
    await vi.waitFor(() => expect(mine.seen.text).toContain('mine'))
    expect(mine.seen.text).toContain(`event: flip\ndata: ${JSON.stringify(event)}\n\n`)
    expect(mine.seen.text).not.toContain('theirs')
    expect(mine.seen.text.match(/event:/g)).toHaveLength(1)
  })

  test('sends an incident that a person opens', async () => {
    const notifier = await startNotifier({
      sql: at.systemSql,
      bus: at.bus,
      registry: new Registry(),
      log: pino({ level: 'silent' }),
      now: at.now,
    })
    try {
      const mine = await watch(account.readKey)
      const theirs = await watch(other.readKey)
      const owner = ownerOf(at, account)
      const { json } = await owner.post('/incidents', {
        statusPageId: await owner.pageId(),
        checkId: await owner.checkId(),
        region: 'fra',
        title: 'Payments fail',
        body: 'We are looking.',
      })
      const [update] = json.updates
      await vi.waitFor(() => expect(mine.seen.text).toContain('event: incident\n'))
      const sent = /event: incident\ndata: (.*)\n\n/.exec(mine.seen.text)?.[1] ?? ''
      expect(JSON.parse(sent)).toMatchObject({ incident: { id: json.id }, update })
      at.bus.events.publish('flip', flipOf(other.id, 'later'))
      await vi.waitFor(() => expect(theirs.seen.text).toContain('later'))
      expect(theirs.seen.text).not.toContain('event: incident')
    } finally {
      await notifier.close()
    }
  })

  test('one key has a limited number of streams', async () => {
    const { readKey, writeKey } = await at.account('scale')
    const streams = []
    for (let n = 0; n < limits.eventStreamsPerOwnerMax; n++) streams.push(await watch(readKey))
    const refused = await watch(readKey)
    expect(refused.response.status).toBe(429)
    expect(await refused.response.json()).toMatchObject({ code: 'SV-6001' })
    expect((await watch(writeKey)).response.status).toBe(200)
    streams[0]?.leave()
    await vi.waitFor(async () => expect((await watch(readKey)).response.status).toBe(200))
  })
})

test('closing the app ends all streams at once', async () => {
  const own = await startTestApp()
  const { readKey } = await own.account('growth')
  const url = await own.app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${url}/v1/events`, {
    headers: { authorization: `Bearer ${readKey}` },
  })
  const text = response.text()
  await own.close()
  expect(await text).toBe(':\n\n')
})

test('streams of an account whose session ended end at once, without the pace of the checks', async () => {
  const hub = createEventHub({
    events: at.bus.events,
    log: { warn: () => undefined },
    onLagging: () => undefined,
    places: placesOf(10, 0),
    recheckMs: 3_600_000,
  })
  await hub.start()
  const watch = (accountId: string, isValid: boolean) => {
    const out = new PassThrough().resume()
    hub.open({ accountId, ownerId: 'session', isStillValid: async () => isValid }, out, aPlace)
    return out
  }
  const [ended, other, elsewhere] = [watch('a', false), watch('a', true), watch('b', false)]
  hub.recheck('a')
  await vi.waitFor(() => expect(ended.writableEnded).toBe(true))
  expect([other.writableEnded, elsewhere.writableEnded]).toEqual([false, false])
  await hub.close()
})

test('a stream has heartbeats, and ends when its key is revoked', async () => {
  const own = await at.account('scale')
  const keys = createKeyAuthenticator({ sql: at.sql, now: Date.now })
  const hub = createEventHub({
    events: at.bus.events,
    log: { warn: () => undefined },
    onLagging: () => undefined,
    places: placesOf(10, 0),
    heartbeatMs: 5,
    recheckMs: 5,
  })
  await hub.start()
  const out = new PassThrough()
  let text = ''
  out.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const isStillValid = async (): Promise<boolean> =>
    !isRefusal(await keys.authenticate(`Bearer ${own.readKey}`))
  hub.open({ accountId: own.id, ownerId: 'k', isStillValid }, out, aPlace)
  await vi.waitFor(() => expect(text).toMatch(/^(:\n\n){3}/))
  expect(hub.size()).toBe(1)
  const [, readKey] = await findKeys(at.sql, own.id)
  // listens before the revocation, because the stream may end before the answer
  const ended = once(out, 'end')
  await revokeKey({ sql: at.sql, now: Date.now }, { keyId: readKey?.id ?? '' })
  keys.close()
  await ended
  await vi.waitFor(() => expect(hub.size()).toBe(0))
  await hub.close()
})

test.each([
  ['ends if it is invalid', async () => false, 0],
  ['stays open if the look-up fails', async () => Promise.reject(new Error('unavailable')), 1],
])('checks the credential of an open stream again, and %s', async (_name, isStillValid, left) => {
  const warn = vi.fn()
  const asked = vi.fn(isStillValid)
  const hub = createEventHub({
    events: at.bus.events,
    log: { warn },
    onLagging: () => undefined,
    places: placesOf(10, 0),
    recheckMs: 5,
  })
  await hub.start()
  const out = new PassThrough().resume()
  hub.open({ accountId: account.id, ownerId: 'o', isStillValid: asked }, out, aPlace)
  await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(left))
  await vi.waitFor(() => expect(hub.size()).toBe(left))
  await hub.close()
})

test('a client that lags too far behind gets a last event and is disconnected', async () => {
  const out = new PassThrough({ highWaterMark: 16 })
  const on = { lagging: vi.fn(), closed: vi.fn() }
  const stream = createEventStream(out, on)
  for (let n = 0; n <= limits.eventStreamBacklogMax; n++) stream.push('reading', `{"n":${n}}`)
  expect(stream.backlog()).toBe(limits.eventStreamBacklogMax)
  stream.push('reading', '{"n":"too many"}')
  expect(stream.backlog()).toBe(0)
  stream.push('reading', '{"n":"after the end"}')
  let text = ''
  for await (const chunk of out) text += String(chunk)
  expect(text).toBe('event: reading\ndata: {"n":0}\n\nevent: lagging\ndata: {}\n\n')
  await vi.waitFor(() => expect(on.closed).toHaveBeenCalledTimes(1))
  expect(on.lagging).toHaveBeenCalledTimes(1)
})

test('a slow client gets every event in order when it continues', async () => {
  const out = new PassThrough({ highWaterMark: 16 })
  const stream = createEventStream(out, { lagging: () => undefined, closed: () => undefined })
  for (let n = 0; n < 100; n++) stream.push('reading', String(n))
  stream.beat()
  let text = ''
  out.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await vi.waitFor(() => expect(stream.backlog()).toBe(0))
  stream.end()
  await once(out, 'end')
  expect([...text.matchAll(/data: (\d+)/g)].map((match) => Number(match[1]))).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  )
})
