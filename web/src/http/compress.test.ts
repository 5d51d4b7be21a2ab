import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { bindAssets } from './assets.ts'
import { codingFor } from '@probe-mesh/runtime/compress'
import { compressPages } from './compress.ts'

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0', 'gzip'],
  ['br;q=0.000, gzip;q=0', null],
  ['BR', 'br'],
  ['br;q=0.001', 'br'],
  ['xgzip, brotli', null],
  ['identity', null],
  ['', null],
  [undefined, null],
] as const)('%s is answered with %s', (accepted, coding) => {
  expect(codingFor(accepted)).toBe(coding)
})

const page = 'ä<p>'.repeat(1_000)

const start = () => {
  const app = fastify()
  compressPages(app)
  bindAssets(app)
  for (const [path, caching, text] of [
    ['/own', 'no-store', page],
    ['/all', 'public, max-age=10', page],
    ['/short', 'no-store', 'short'],
  ] as const) {
    app.route({
      method: ['GET', 'POST'],
      url: path,
      handler: (_request, reply) =>
        reply
          .header('content-type', 'text/html; charset=utf-8')
          .header('cache-control', caching)
          .header('etag', '"a"')
          .send(text),
    })
  }
  return app
}

test.each([
  ['GET', '/own', 'br'],
  ['GET', '/all', 'br'],
  ['GET', '/all?month=2026-11', 'br'],
  // its length would reveal the reader's data, letter by letter
  ['GET', '/own?q=guess', undefined],
  ['POST', '/own', undefined],
  ['GET', '/short', undefined],
] as const)('%s %s is sent as %s', async (method, url, coding) => {
  const headers = { 'accept-encoding': 'gzip, br' }
  const answer = await start().inject({ method, url, headers })
  expect(answer.headers['content-encoding']).toBe(coding)
  const text = coding ? brotliDecompressSync(answer.rawPayload).toString() : answer.body
  expect(text).toBe(url === '/short' ? 'short' : page)
  expect(answer.headers['etag']).toBe(coding ? 'W/"a"' : '"a"')
})

test('a client without compression gets the plain page, and caches keep the variants apart', async () => {
  const { headers, body } = await start().inject('/own')
  expect(body).toBe(page)
  expect(headers['content-encoding']).toBeUndefined()
  expect(headers['vary']).toBe('accept-encoding')
})

test('the style sheet is the same in each coding, and is not sent again to a client that has it', async () => {
  const app = start()
  const { assets } = await import('./assets.ts')
  const get = (headers: Record<string, string>) => app.inject({ url: assets.style, headers })
  const [plain, br, zipped] = [
    await get({}),
    await get({ 'accept-encoding': 'br' }),
    await get({ 'accept-encoding': 'gzip' }),
  ]
  expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body)
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
  const again = await get({ 'if-none-match': String(br.headers['etag']) })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})
