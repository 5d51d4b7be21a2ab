import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp(() => ({
  serve: (app) =>
    app.get('/broken', () => {
      throw new Error('a bug')
    }),
}))
const account = useOnce(() => at.account('scale'))

const get = (path: string, headers: Record<string, string> = {}) =>
  at.call('GET', path, { key: account.readKey, headers })
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  at.call('POST', path, { key: account.writeKey, body, headers })

describe('the id of a request', () => {
  test('is in every answer, another one each time', async () => {
    const answers = [await get('/v1/me'), await get('/v1/me'), await get('/v1/none'), await get('/healthz')]
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('of a failure is in its message and its log line', async () => {
    const { headers, json } = await get('/broken')
    const id = String(headers['x-request-id'])
    expect(json).toMatchObject({ code: 'SV-9001', message: expect.stringContaining(id) })
    expect(at.logged.filter((line) => line.includes(id))).toHaveLength(1)
  })
})

describe('a method that a path does not have', () => {
  test.each([
    ['PUT', '/v1/checks', 'GET, HEAD, POST'],
    ['DELETE', '/v1/checks', 'GET, HEAD, POST'],
    ['GET', '/v1/checks/0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70/run', 'POST'],
    ['POST', '/v1/public/weather', 'GET, HEAD'],
  ] as const)('%s %s is SV-3007 with the methods that it has', async (method, path, allow) => {
    const answer = await at.call(method, path, { key: account.writeKey })
    expect(answer).toMatchObject({
      status: 405,
      json: { code: 'SV-3007', message: expect.stringContaining(allow) },
    })
    expect(answer.headers['allow']).toBe(allow)
  })

  test('and a path of which there is none is SV-3001', async () => {
    expect(await at.call('PUT', '/v1/checks/x/y')).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
  })
})

describe('an answer to GET', () => {
  test.each([
    '/v1/status-pages',
    '/v1/checks',
    '/v1/openapi.json',
    '/v1/public/stacks/web-shop',
    '/v1/public/services/github/status',
  ])('%s is 304 without a body for a client that has it', async (path) => {
    const first = await get(path)
    const etag = String(first.headers['etag'])
    const again = await get(path, { 'if-none-match': `"other", ${etag}` })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers).toMatchObject({ etag, 'cache-control': first.headers['cache-control'] })
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('has another ETag after a change', async () => {
    const before = String((await get('/v1/checks')).headers['etag'])
    await post('/v1/checks', { name: 'new', url: 'https://example.org/', regions: ['fra'] })
    expect(await get('/v1/checks', { 'if-none-match': before })).toMatchObject({ status: 200 })
  })

  test('has no ETag when it is a refusal', async () => {
    expect((await get('/v1/checks/x')).headers['etag']).toBeUndefined()
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed with %s for a client that accepts it', async (coding, decode) => {
    const headers = { authorization: `Bearer ${account.readKey}`, 'accept-encoding': coding }
    const answer = await at.app.inject({ method: 'GET', url: '/v1/openapi.json', headers })
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
    const plain = await get('/v1/openapi.json')
    expect(decode(answer.rawPayload).toString()).toBe(plain.text)
    expect(answer.headers['etag']).toBe(plain.headers['etag'])
  })

  test('is not compressed when it is short, and never for the cookie of a browser', async () => {
    const headers = { 'accept-encoding': 'br', authorization: `Bearer ${account.readKey}` }
    for (const url of ['/v1/me', '/dashboard-api/session']) {
      const answer = await at.app.inject({ method: 'GET', url, headers })
      expect(answer.headers['content-encoding']).toBeUndefined()
    }
  })
})

describe('an answer from memory', () => {
  const kept = useOnce(async () => {
    const body = { name: 'kept', url: 'https://example.org/', regions: ['fra'] }
    return [`/v1/checks/${(await post('/v1/checks', body)).json.id}`, '/v1/public/services']
  })

  test('has the ETag, bytes, codings and 304 of the first one, and HEAD its length', async () => {
    for (const url of kept) {
      const authorization = `Bearer ${account.readKey}`
      const read = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
        at.app.inject({ method, url, headers: { authorization, ...headers } })
      const first = await read()
      const [again, coded, repeated] = [
        await read(),
        await read({ 'accept-encoding': 'br' }),
        await read({ 'accept-encoding': 'br' }),
      ]
      const { etag, 'content-length': length } = first.headers
      expect(etag).toMatch(/^W\/"[\w-]+"$/)
      expect(again.headers).toMatchObject({ etag, 'content-length': length })
      expect(again.body).toBe(first.body)
      for (const { headers, rawPayload } of [coded, repeated]) {
        expect(headers).toMatchObject({ etag, 'content-encoding': 'br', vary: 'accept-encoding' })
        expect(brotliDecompressSync(rawPayload).toString()).toBe(first.body)
      }
      const unchanged = await read({ 'if-none-match': String(etag) })
      expect([unchanged.statusCode, unchanged.body]).toEqual([304, ''])
      expect((await read({}, 'HEAD')).headers).toMatchObject({ etag, 'content-length': length })
    }
  })
})

describe('the address of a created resource', () => {
  test('leads to it, also from the answer to a repeated request', async () => {
    const body = { name: 'api', url: 'https://example.org/', regions: ['fra'] }
    const key = { 'idempotency-key': 'once' }
    for (const answer of [await post('/v1/checks', body, key), await post('/v1/checks', body, key)]) {
      expect(answer.headers['location']).toBe(`/v1/checks/${answer.json.id}`)
      expect((await get(String(answer.headers['location']))).json.id).toBe(answer.json.id)
    }
    const created = await post('/v1/agents', { name: 'office' })
    expect((await get(String(created.headers['location']))).json.name).toBe('office')
  })

  test('is declared for every route that creates something, as a path that can be read', () => {
    const table = Object.values<Route>(routes)
    const readable = new Set(table.filter(({ method }) => method === 'GET').map(({ path }) => shape(path)))
    for (const route of table.filter(({ success }) => success === 201)) {
      expect(readable, `${route.method} ${route.path}`).toContain(shape(route.location ?? 'none'))
    }
  })
})

const shape = (path: string): string => path.replace(/:[$\w.]+/g, ':')

describe('a query parameter that a route does not have', () => {
  test.each([
    '/v1/me',
    '/v1/status-pages',
    '/v1/checks',
    '/v1/public/weather',
    '/v1/public/services/github/status',
  ])('is refused by %s', async (path) => {
    expect(await get(`${path}?nothing=1`)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'nothing' }], message: expect.stringContaining('"nothing"') },
    })
  })
})
