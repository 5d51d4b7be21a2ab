import { setTimeout as elapse } from 'node:timers/promises'
import { useTestApp, type TestAccount } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openApi } from '../../api/open-api.ts'
import { testContext } from '../../terminal/testing.ts'
import { readingOf } from '../testing.ts'
import { createTopStore } from '../view/store.ts'
import { listAgainMs } from './read-plan.ts'
import { startFeed } from './start-feed.ts'

/** A state is awaited, however slow the machine is. */
const until = <T>(condition: () => T): Promise<T> => vi.waitFor(condition, { timeout: 15_000 })

/** The feed over the real API, on a real connection. */

let account: TestAccount
let apiUrl: string
let checkId: string
const at = useTestApp()
beforeAll(async () => {
  account = await at.account('scale')
  apiUrl = `${await at.app.listen({ port: 0, host: '127.0.0.1' })}/v1`
  checkId = await create('web')
})

const create = async (name: string): Promise<string> => {
  const body = { name, url: 'http://127.0.0.1:9/', intervalSeconds: 60 }
  const { json } = await at.call('POST', '/v1/checks', { key: account.writeKey, body })
  return json.id
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const start = (apiKey: string, send: typeof fetch = fetch) => {
  const stop = new AbortController()
  let passedMs = 0
  const now = (): number => Date.now() + passedMs
  const store = createTopStore(now)
  const feed = startFeed({
    settings: { apiUrl, apiKey },
    fetch: send,
    signal: stop.signal,
    now,
    pause: (ms) => elapse(Math.min(ms, 50), undefined, { signal: stop.signal }),
    state: store.state,
    dispatch: store.dispatch,
    openForActs: async () => {
      const context = testContext({ fetch: send, environment: {} })
      const opened = await openApi(context, { apiUrl, apiKey, json: true })
      return opened.ok ? { ok: true, value: opened.api } : opened
    },
  })
  ends.push(() => {
    stop.abort()
    store.close()
    return feed.ended
  })
  const pass = (ms: number): void => void (passedMs += ms)
  return { store, feed, pass, row: (id = checkId) => store.state().checks.get(id) }
}

test('reads the account and the list, then follows events', async () => {
  const { store, row } = start(account.readKey)
  await until(() => {
    const { account: whose, connection } = store.state()
    expect(whose).toMatchObject({ name: 'scale account', tier: 'scale' })
    expect(connection.state).toBe('connected')
    expect(row()).toMatchObject({ name: 'web', trend: { length: 48 } })
  })
  const reading = readingOf('fra', 0)
  at.bus.events.publish('reading', { kind: 'reading', accountId: account.id, checkId, reading })
  await until(() => expect(row()?.results['fra']?.verdict).toBe('up'))
})

test('reads again after a lost connection', async () => {
  const broken = new AbortController()
  let streams = 0
  const { store, pass, row } = start(account.readKey, (input, init) => {
    if (!String(input).endsWith('/events') || ++streams > 1) return fetch(input, init)
    const signals = [broken.signal, init?.signal ?? broken.signal]
    return fetch(input, { ...init, signal: AbortSignal.any(signals) })
  })
  await until(() => {
    expect(store.state().connection.state).toBe('connected')
    expect(row()?.name).toBe('web')
  })
  const before = store.state().connection.connectedMs ?? 0
  broken.abort(new Error('cut'))
  const later = await create('later')
  // the list is read again no earlier than this
  pass(listAgainMs)
  await until(() => {
    expect(store.state().connection.connectedMs).toBeGreaterThan(before)
    expect(row(later)?.name).toBe('later')
  })
})

test('reports the result of a run, and the regions that did not answer', async () => {
  const { store, feed } = start(account.writeKey)
  await feed.runNow(checkId)
  const { run } = store.state()
  expect(run).toMatchObject({ kind: 'ended', isRefused: false })
  expect(run.kind === 'ended' && run.said).toContain('no answer: ')
})

test('shows the refusal of a run to a read-only key and keeps watching', async () => {
  const { store, feed } = start(account.readKey)
  await feed.runNow(checkId)
  expect(store.state().run).toMatchObject({ kind: 'ended', isRefused: true })
  expect(JSON.stringify(store.state().run)).toContain('SV-1004')
})

test('does a typed act, and shows why it cannot', async () => {
  const { store, feed } = start(account.writeKey)
  await feed.actOn(checkId, 'pause')
  expect(store.state().run).toMatchObject({ kind: 'ended', isRefused: false, said: 'web is paused.' })
  const paused = await at.call('GET', `/v1/checks/${checkId}`, { key: account.readKey })
  expect(paused.json.paused).toBe(true)
  await feed.actOn(checkId, ' resume ')
  expect(store.state().run).toMatchObject({ said: 'web is measured again.' })
  await feed.actOn(checkId, 'incident close')
  expect(store.state().run).toMatchObject({
    isRefused: true,
    said: expect.stringContaining('There is no act "incident close"'),
  })
})

test('ends when the key is refused', async () => {
  const free = await at.account('free')
  const { feed } = start(free.readKey)
  expect(await feed.ended).toMatchObject({ code: 'SV-1003' })
})
