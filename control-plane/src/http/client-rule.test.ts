import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { isFromClient } from './client-rule.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { missing, provider } from '../app/testing/pages.ts'

const at = useTestApp()
const account = useOnce(() => at.account('scale'))
const free = useOnce(() => at.account('free'))

const guarded = Object.values<Route>(routes).filter(({ client }) => client !== undefined)
const broken = { body: '{"broken', headers: { 'content-type': 'application/json' } }

test('only the provider may write pages and components', () => {
  expect(guarded.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'DELETE /status-pages/:id',
    'DELETE /status-pages/:id/components/:componentId',
    'PATCH /status-pages/:id',
    'PATCH /status-pages/:id/components/:componentId',
    'POST /status-pages',
    'POST /status-pages/:id/components',
  ])
})

describe.each(guarded)('$method $path', ({ method, path }) => {
  const url = `/v1${path.replaceAll(/:\w+/g, missing)}`
  const call = (key: string, headers: Record<string, string> = {}) =>
    at.call(method, url, { key, ...broken, headers: { ...broken.headers, ...headers } })

  test('another client gets the reason and the remedy before its body is read', async () => {
    const refused = await call(account.writeKey)
    expect(refused).toMatchObject({ status: 405, json: { code: 'SV-3005', errors: [] } })
    expect(refused.json.message).toMatch(/read-only.*Terraform provider/)
    expect(refused.headers['allow']).toBe('GET, HEAD')
    expect(refused.headers['ratelimit']).toMatch(/^"writes"/)
  })

  test('key, tier and scope are checked first', async () => {
    expect((await at.call(method, url, broken)).json.code).toBe('SV-1001')
    expect((await call(free.writeKey)).json.code).toBe('SV-1003')
    expect((await call(account.readKey)).json.code).toBe('SV-1004')
  })

  test('the provider is accepted', async () => {
    expect((await call(account.writeKey, provider)).json.code).toBe('SV-2001')
  })
})

test('the budget is checked first, and a refused client spends it too', async () => {
  const { writeKey } = await at.account('growth')
  const codes: string[] = []
  for (let call = 0; call < 31; call++) {
    codes.push((await at.call('POST', '/v1/status-pages', { key: writeKey })).json.code)
  }
  expect(codes.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 'SV-3005'))
  expect(codes[30]).toBe('SV-6002')
})

test('any client may read', async () => {
  const read = await at.call('GET', '/v1/status-pages', { key: account.readKey })
  expect(read.status).toBe(200)
})

describe('the header of the provider', () => {
  const client = 'terraform-provider-service'

  test.each([
    ['terraform-provider-service/0.1.0'],
    ['terraform-provider-service/1.2.3-rc.1+build_5'],
    ['terraform-provider-service/dev'],
  ])('%s', (header) => expect(isFromClient({ client }, header)).toBe(true))

  test.each([
    [undefined],
    [''],
    ['terraform-provider-service'],
    ['terraform-provider-service/'],
    ['terraform-provider-service/ '],
    ['terraform-provider-service/1.0/2'],
    ['Terraform-Provider-Service/1.0'],
    ['terraform-provider-services/1.0'],
    ['my terraform-provider-service/1.0'],
    ['terraform-provider-service/1.0, curl/8'],
  ])('not %j', (header) => expect(isFromClient({ client }, header)).toBe(false))

  test('any client may call a route without a client', () => {
    expect(isFromClient({}, undefined)).toBe(true)
  })
})
