import { allowedHostsOf } from '@probe-mesh/runtime/allowed-hosts'
import { describe, expect, test } from 'vitest'
import { useTestApp, startTestApp } from '../app/testing/test-app.ts'

const publicUrl = 'https://status.example.com'
const at = useTestApp({
  config: { publicUrl, allowedHosts: allowedHostsOf([publicUrl], ['control-plane-1']) },
})

const signUp = (host: string) =>
  at.call('POST', '/dashboard-api/sign-ups/by-password', {
    headers: { host, origin: `http://${host}` },
    body: {
      email: `${host.replace(/\W/g, '-')}@example.org`,
      accountName: 'A',
      password: 'violet kettle orbit cactus',
    },
  })

describe('a page of another site under a rebound host name', () => {
  test('cannot create an account', async () => {
    const refused = await signUp('evil.example')
    expect(refused).toMatchObject({ status: 421, json: { code: 'SV-3006' } })
    expect(refused.json.message).toContain('ALLOWED_HOSTS')
    expect(await signUp('status.example.com')).toMatchObject({ status: 201 })
  })

  test.each(['/', '/v1/me', '/dashboard-api/session', '/v1/openapi.json', '/docs', '/metrics', '/x'])(
    'cannot read %s',
    async (path) => {
      const refused = await at.call('GET', path, { headers: { host: 'evil.example:8080' } })
      expect(refused).toMatchObject({ status: 421, json: { code: 'SV-3006' } })
    },
  )
})

test.each([
  'localhost:8080',
  '127.0.0.1',
  '127.0.0.2:80',
  '[::1]:8080',
  'status.example.com',
  'control-plane-1:8080',
])('%s is served', async (host) => {
  expect(await at.call('GET', '/v1/openapi.json', { headers: { host } })).toMatchObject({
    status: 200,
  })
})

describe('under any host name', () => {
  const headers = { host: '10.4.5.6:8080' }
  test.each(['/healthz', '/readyz'])('health checks are answered: %s', async (path) => {
    expect(await at.call('GET', path, { headers })).toMatchObject({ status: 200 })
  })

  test('pings and error events are accepted', async () => {
    expect(await at.call('GET', '/ping/00000000-0000-4000-8000-000000000000', { headers })).toMatchObject({
      status: 404,
      text: 'not found',
    })
    expect((await at.call('POST', '/api/7/store/', { headers, body: {} })).status).not.toBe(421)
  })

  test('a gateway is served only with its key', async () => {
    const { readKey: key } = await at.account('scale')
    expect(await at.call('GET', '/v1/me', { headers, key, via: '192.0.2.1' })).toMatchObject({
      status: 200,
    })
    expect(await at.call('GET', '/v1/me', { headers, key })).toMatchObject({ status: 421 })
  })
})

test('the address of the connection is served', async () => {
  const listening = await startTestApp()
  await listening.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = listening.app.server.address() as { port: number }
  expect((await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).status).toBe(200)
  await listening.close()
})
