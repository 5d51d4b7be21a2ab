import { expect, test } from 'vitest'
import { useTestApp, type TestApp } from './testing/test-app.ts'

/** `/metrics` is only for the operator: with the token if one is configured, otherwise from this machine. */

const token = 'the-token-of-a-test-0'
const withToken = useTestApp({ config: { metricsToken: token, trustProxy: ['127.0.0.1'] } })
const without = useTestApp({ config: { trustProxy: ['127.0.0.1'] } })

const stranger = '203.0.113.9'
const read = (at: TestApp, remoteAddress: string, headers: Record<string, string> = {}) =>
  at.app.inject({ method: 'GET', url: '/metrics', remoteAddress, headers })
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

test('metrics are not public, with or without a configured token', async () => {
  for (const at of [withToken, without]) {
    const answer = await read(at, stranger)
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="metrics"')
    expect(answer.body).not.toContain('# TYPE')
  }
})

test('a configured token gives access from anywhere, and is required also on the loopback', async () => {
  expect((await read(withToken, stranger, bearer(token))).body).toContain('# TYPE')
  expect((await read(withToken, stranger, bearer(`${token}x`))).statusCode).toBe(401)
  expect((await read(withToken, '127.0.0.1')).statusCode).toBe(401)
})

test('without a token only this machine can read, but not a proxy on it', async () => {
  expect((await read(without, '127.0.0.1')).body).toContain('# TYPE')
  expect((await read(without, '::1')).body).toContain('# TYPE')
  for (const headers of [
    { 'x-forwarded-for': stranger },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
  ]) {
    expect((await read(without, '127.0.0.1', headers)).statusCode).toBe(401)
  }
  // another host name is refused first
  const named = await read(without, '127.0.0.1', { host: 'status.example.com' })
  expect(named.statusCode).toBe(421)
  // X-Forwarded-For of a trusted proxy does not make a client local
  expect((await read(without, stranger, { 'x-forwarded-for': '127.0.0.1' })).statusCode).toBe(401)
})

test.each(['/metrics?x=1', '/%6detrics', '/metrics/', '//metrics', '/Metrics'])(
  'no other spelling gives access: %s',
  async (url) => {
    const answer = await without.app.inject({ method: 'GET', url, remoteAddress: stranger })
    expect([401, 404]).toContain(answer.statusCode)
    expect(answer.body).not.toContain('# TYPE')
  },
)

test('HEAD and OPTIONS reveal nothing either', async () => {
  for (const method of ['HEAD', 'OPTIONS'] as const) {
    const answer = await without.app.inject({ method, url: '/metrics', remoteAddress: stranger })
    expect([401, 405]).toContain(answer.statusCode)
    expect(answer.body).not.toContain('# TYPE')
  }
})

test('concurrent and frequent readers share one collection', async () => {
  const scraped = await Promise.all(Array.from({ length: 20 }, () => read(without, '127.0.0.1')))
  expect(new Set(scraped.map(({ body }) => body)).size).toBe(1)
})
