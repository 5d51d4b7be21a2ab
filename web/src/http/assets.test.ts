import fastify from 'fastify'
import { expect, test } from 'vitest'
import { documentOf } from '../html/document.ts'
import { html } from '@probe-mesh/runtime/html'
import { assets, bindAssets } from './assets.ts'

const app = fastify()
bindAssets(app)

test('every page names an existing icon that caches may keep forever', async () => {
  const page = documentOf(assets, { title: 'x', body: html`<body></body>` })
  const [, path = ''] = /<link\s+rel="icon"\s+type="image\/svg\+xml"\s+href="([^"]+)"/.exec(page) ?? []
  const { statusCode, headers, body } = await app.inject(path)
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  // an image runs and loads nothing; opened directly it contains no script either
  expect(body).toMatch(/^<svg\s+xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  expect(body).not.toMatch(/<script|<style|href|\bon\w+=/)
})

test('the default icon address serves 32 pixels, cached for a day', async () => {
  const { statusCode, headers, rawPayload } = await app.inject('/favicon.ico')
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/vnd.microsoft.icon'])
  expect(headers['cache-control']).toBe('public, max-age=86400')
  // ICONDIR of one icon, then its width and height, then a PNG (the format's own header)
  expect([...rawPayload.subarray(0, 8)]).toEqual([0, 0, 1, 0, 1, 0, 32, 32])
  expect(rawPayload.subarray(22, 26).toString('latin1')).toBe('\u0089PNG')
  expect(rawPayload.readUInt32LE(14)).toBe(rawPayload.length - 22)
  const again = await app.inject({
    url: '/favicon.ico',
    headers: { 'if-none-match': String(headers['etag']) },
  })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})
