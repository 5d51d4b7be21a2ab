import { Counter, Gauge, Registry } from 'prom-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMetricsPage, metricsToken, mayReadMetrics, metricsAgeMsMax } from './metrics-page.ts'

const token = 'a token of some length'.replaceAll(' ', '-')
const local = { remoteAddress: '127.0.0.1', headers: { host: '127.0.0.1:8080' } }
const remote = { remoteAddress: '203.0.113.9', headers: { host: 'status.example.com' } }
const withToken = (text: string) => ({ ...remote, headers: { authorization: `Bearer ${text}` } })

afterEach(() => {
  vi.useRealTimers()
})

describe('with a token', () => {
  test('allows a reader with the token from any address', () => {
    expect(mayReadMetrics(withToken(token), token)).toBe(true)
  })

  test.each([
    ['another token', withToken(`${token}x`)],
    ['the start of it', withToken(token.slice(0, -1))],
    ['none', remote],
    ['none, on this machine', local],
    ['another scheme', { ...remote, headers: { authorization: `Basic ${token}` } }],
    ['an empty one', { ...remote, headers: { authorization: 'Bearer ' } }],
  ])('refuses a reader that sends %s', (_, reader) => {
    expect(mayReadMetrics(reader, token)).toBe(false)
  })
})

describe('without a token', () => {
  test.each([
    ['127.0.0.1', 'localhost:9464'],
    ['127.8.8.8', '127.0.0.1'],
    ['::1', '[::1]:8080'],
    ['::ffff:127.0.0.1', 'LOCALHOST'],
  ])('allows %s with the host %s', (remoteAddress, host) => {
    expect(mayReadMetrics({ remoteAddress, headers: { host } }, null)).toBe(true)
  })

  test.each(['203.0.113.9', '10.0.0.1', '::ffff:203.0.113.9', 'fe80::1', '::127.0.0.1', undefined, ''])(
    'refuses %s with any header fields',
    (remoteAddress) => {
      const headers = { host: 'localhost', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' }
      expect(mayReadMetrics({ remoteAddress, headers: { host: 'localhost' } }, null)).toBe(false)
      expect(mayReadMetrics({ remoteAddress, headers }, null)).toBe(false)
    },
  )

  test.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-for', '127.0.0.1'],
    ['X-Forwarded-Proto', 'https'],
    ['forwarded', 'for=203.0.113.9'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '203.0.113.9'],
    ['cf-connecting-ip', '203.0.113.9'],
    ['true-client-ip', '203.0.113.9'],
  ])('refuses a proxy on this machine that adds %s: %s', (name, value) => {
    const reader = { ...local, headers: { ...local.headers, [name]: value } }
    expect(mayReadMetrics(reader, null)).toBe(false)
  })

  test.each(['status.example.com', 'localhost.example.com', '127.0.0.1.example.com', undefined])(
    'refuses a connection from this machine with the host %s',
    (host) => {
      expect(mayReadMetrics({ ...local, headers: { host } }, null)).toBe(false)
    },
  )
})

test.each([
  [token, true],
  ['x'.repeat(512), true],
  ['x'.repeat(15), false],
  ['x'.repeat(513), false],
  ['has a space in it somewhere', false],
])('"%s" is a valid token: %s', (text, expected) => {
  expect(metricsToken.parse(text).ok).toBe(expected)
})

describe('the page', () => {
  const countedPage = (collect?: () => Promise<void>) => {
    const registry = new Registry()
    let collections = 0
    let nowMs = 5_000
    const gauge = new Gauge({
      name: 'collections',
      help: 'How often the figures were collected',
      registers: [],
      async collect() {
        collections += 1
        this.set(collections)
        await collect?.()
      },
    })
    registry.registerMetric(gauge)
    const page = createMetricsPage({ registry, token: null, now: () => nowMs })
    return { page, collections: () => collections, at: (ms: number) => (nowMs = ms) }
  }

  test('collects the metrics once a second for any number of readers', async () => {
    const { page, collections, at } = countedPage()
    const answers = await Promise.all(Array.from({ length: 100 }, () => page(local)))
    expect(answers.map(({ body }) => /^collections (\d+)$/m.exec(body)?.[1])).toEqual(answers.map(() => '1'))
    at(5_000 + metricsAgeMsMax - 1)
    await page(local)
    expect(collections()).toBe(1)
    at(5_000 + metricsAgeMsMax)
    expect((await page(local)).body).toMatch(/^collections 2$/m)
  })

  test('collects again after the clock was set back', async () => {
    const { page, collections, at } = countedPage()
    await page(local)
    at(1_000)
    await page(local)
    expect(collections()).toBe(2)
  })

  test('collects nothing for a refused reader', async () => {
    const { page, collections } = countedPage()
    const answer = await page(remote)
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="metrics"' },
    })
    expect([answer.body.includes('collections'), collections()]).toEqual([false, 0])
  })

  test('answers 503 when a collection takes too long, and starts no second one meanwhile', async () => {
    vi.useFakeTimers()
    const stuck = Promise.withResolvers<void>()
    const { page, collections } = countedPage(() => stuck.promise)
    const answers = [page(local), page(local)]
    await vi.advanceTimersByTimeAsync(6_000)
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(503)
    const third = page(local)
    expect(collections()).toBe(1)
    stuck.resolve()
    expect((await third).status).toBe(200)
  })

  test('retries a failed collection for the next reader', async () => {
    const registry = new Registry()
    let fails = true
    const counter = new Counter({
      name: 'fragile_total',
      help: 'Fails once',
      registers: [],
      collect() {
        if (fails) throw new Error('not now')
      },
    })
    registry.registerMetric(counter)
    const page = createMetricsPage({ registry, token: null, now: () => 0 })
    await expect(page(local)).rejects.toThrow('not now')
    fails = false
    expect((await page(local)).status).toBe(200)
  })
})
