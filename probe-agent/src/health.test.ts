import { silentLogger } from '@probe-mesh/bus/logger'
import { Counter, Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startHealth, type AgentReadiness, type Health } from './health.ts'

let health: Health
let readiness: AgentReadiness = { notReady: [], bus: 'connected' }

beforeEach(async () => {
  const registry = new Registry()
  new Counter({ name: 'slots_total', help: 'Slots', registers: [registry] }).inc(3)
  health = await startHealth({
    host: '127.0.0.1',
    port: 0,
    readiness: () => readiness,
    registry,
    metricsToken: null,
    now: Date.now,
    log: silentLogger,
  })
})
afterEach(() => health.close())

const ask = async (path: string, method = 'GET') => {
  const response = await fetch(health.url + path, { method })
  const text = await response.text()
  return { status: response.status, text, headers: response.headers }
}

describe('health', () => {
  test('is alive while it answers', async () => {
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: '{"alive":true}' })
  })

  test.each([
    [{ notReady: [], bus: 'connected' }, 200, true],
    [{ notReady: [], bus: 'away' }, 200, true],
    [{ notReady: ['assignments'], bus: 'connected' }, 503, false],
  ] as const)('%j is answered with %i', async (now, status, ready) => {
    readiness = now
    const answer = await ask('/readyz')
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toEqual({ ready, ...now })
  })

  test('shows metrics only to clients with the token, if one is set', async () => {
    const registry = new Registry()
    new Counter({ name: 'slots_total', help: 'Slots', registers: [registry] }).inc(3)
    const guarded = await startHealth({
      host: '127.0.0.1',
      port: 0,
      readiness: () => readiness,
      registry,
      metricsToken: 'the-token-of-a-test-0',
      now: Date.now,
      log: silentLogger,
    })
    try {
      const without = await fetch(`${guarded.url}/metrics`)
      expect([without.status, (await without.text()).includes('slots_total')]).toEqual([401, false])
      expect(without.headers.get('www-authenticate')).toBe('Bearer realm="metrics"')
      const headers = { authorization: 'Bearer the-token-of-a-test-0' }
      const answer = await fetch(`${guarded.url}/metrics`, { headers })
      expect(await answer.text()).toContain('slots_total 3')
      expect((await fetch(`${guarded.url}/healthz`)).status).toBe(200)
    } finally {
      await guarded.close()
    }
  })

  test('hides metrics behind a local proxy without a token', async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    expect((await fetch(`${health.url}/metrics`, { headers })).status).toBe(401)
    expect((await fetch(`${health.url}/healthz`, { headers })).status).toBe(200)
  })

  test('exports its counters', async () => {
    const { status, text } = await ask('/metrics?from=prometheus')
    expect([status, text.includes('slots_total 3')]).toEqual([200, true])
  })

  test.each([
    ['/', 'GET', 404],
    ['/readyz/', 'GET', 404],
    ['/constructor', 'GET', 404],
    ['/readyz', 'POST', 405],
    ['/readyz', 'HEAD', 200],
  ])('%s by %s is %i', async (path, method, status) => {
    readiness = { notReady: [], bus: 'connected' }
    expect((await ask(path, method)).status).toBe(status)
  })

  test('a port in use is an error at the start', async () => {
    const port = Number(new URL(health.url).port)
    const second = startHealth({
      host: '127.0.0.1',
      port,
      readiness: () => readiness,
      registry: new Registry(),
      metricsToken: null,
      now: Date.now,
      log: silentLogger,
    })
    await expect(second).rejects.toThrow('EADDRINUSE')
  })
})
