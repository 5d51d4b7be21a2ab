import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { authorityOf, connectUrlOf, credentialOf, forwardedHeaders } from './proxy-headers.ts'

test('forwards headers in order, unchanged and repeated', () => {
  const raw = ['Host', 'a', 'Set-Cookie', 'x=1', 'set-cookie', 'y=2']
  expect(forwardedHeaders(raw)).toEqual(raw)
})

test.each([
  [['Connection', 'close']],
  [['Connection', 'X-Near, keep-alive', 'x-near', '1']],
  [['x-near', '1', 'CONNECTION', 'x-near']],
  [['Keep-Alive', 'timeout=5']],
  [['Proxy-Authorization', 'Basic x', 'Proxy-Connection', 'close', 'proxy-anything', '1']],
  [['TE', 'trailers', 'Trailer', 'x', 'Transfer-Encoding', 'chunked', 'Upgrade', 'websocket']],
])('removes hop-by-hop headers: %j', (raw) => {
  expect(forwardedHeaders([...raw, 'X-Far', '1'])).toEqual(['X-Far', '1'])
})

test.each([
  [undefined, null],
  ['', null],
  ['Bearer abc', null],
  ['Basic', null],
  [`Basic ${Buffer.from('nocolon').toString('base64')}`, null],
  [`Basic ${Buffer.from('a:b:c').toString('base64')}`, { username: 'a', password: 'b:c' }],
  [`basic ${Buffer.from('a:').toString('base64')}`, { username: 'a', password: '' }],
])('the credential of %j', (header, credential) => {
  expect(credentialOf(header)).toEqual(credential)
})

test.each([
  ['example.com:443', 'https://example.com/'],
  ['EXAMPLE.com:8443', 'https://example.com:8443/'],
  ['[::1]:443', 'https://[::1]/'],
  ['127.1:80', 'https://127.0.0.1:80/'],
  ['example.com', null],
  ['example.com:', null],
  ['example.com:999999', null],
  ['example.com:65536', null],
  ['a@example.com:443', null],
  ['example.com/x:443', null],
  ['example.com:443/', null],
  ['exa mple.com:443', null],
  ['exa%6dple.com:443', null],
])('CONNECT %s leads to %s', (authority, url) => {
  expect(connectUrlOf(authority)?.href ?? null).toBe(url)
})

test('CONNECT keeps only host and port', () => {
  forAll([fc.string({ maxLength: 60 }), fc.nat({ max: 70_000 })], (host, port) => {
    const url = connectUrlOf(`${host}:${port}`)
    if (url === null) return
    expect([url.pathname, url.search, url.hash, url.username, url.password]).toEqual(['/', '', '', '', ''])
    expect(authorityOf(url).endsWith(`:${port}`)).toBe(true)
  })
})
