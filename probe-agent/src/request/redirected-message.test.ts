import type { SecureContext } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { plainGet, type Message, type OwnParts } from './message.ts'
import { redirectedMessage, type Redirection } from './redirected-message.ts'

const here = 'https://shop.example.com/a'
const redirection = (more: Partial<Redirection> = {}): Redirection => ({
  status: 302,
  from: here,
  to: 'https://shop.example.com/b',
  setCookie: [],
  ...more,
})
const own = (more: Partial<OwnParts> = {}): OwnParts => ({
  fields: ['x-api-key', 'k'],
  accept: null,
  cookie: null,
  trust: null,
  ...more,
})
const withBody = (method: Message['method']): Message => ({
  method,
  body: Buffer.from('a'),
  contentType: 'text/plain',
  own: own({ fields: ['content-language', 'de', 'digest', 'x', 'x-api-key', 'k'] }),
})
const shown = (found: ReturnType<typeof redirectedMessage>): string => {
  if ('failure' in found) return found.failure.cause
  const { method, body, contentType, own: parts } = found.message
  return [method, body?.toString() ?? '-', contentType ?? '-', parts?.fields.join(' ') ?? '-'].join(' | ')
}

describe('on the same origin', () => {
  const kept = (method: string): string =>
    `${method} | a | text/plain | content-language de digest x x-api-key k`
  const asGet = 'GET | - | - | x-api-key k'

  /** RFC 9110 15.4.2 to 15.4.9; for 301 and 302 the steps of Fetch: POST alone becomes GET. */
  test.each<[number, Message['method'], string]>([
    [301, 'GET', kept('GET')],
    [301, 'POST', asGet],
    [301, 'PUT', kept('PUT')],
    [301, 'PATCH', kept('PATCH')],
    [301, 'DELETE', kept('DELETE')],
    [302, 'GET', kept('GET')],
    [302, 'POST', asGet],
    [302, 'PUT', kept('PUT')],
    [302, 'PATCH', kept('PATCH')],
    [302, 'DELETE', kept('DELETE')],
    [303, 'GET', asGet],
    [303, 'POST', asGet],
    [303, 'PUT', asGet],
    [303, 'PATCH', asGet],
    [303, 'DELETE', asGet],
    [307, 'GET', kept('GET')],
    [307, 'POST', kept('POST')],
    [307, 'PUT', kept('PUT')],
    [307, 'DELETE', kept('DELETE')],
    [308, 'POST', kept('POST')],
    [308, 'PATCH', kept('PATCH')],
  ])('%d after %s', (status, method, expected) => {
    expect(shown(redirectedMessage(withBody(method), redirection({ status })))).toBe(expected)
  })

  test.each([301, 302, 303, 307, 308])('%d after HEAD is HEAD', (status) => {
    const head = { method: 'HEAD', body: null, contentType: null, own: own() } as const
    expect(shown(redirectedMessage(head, redirection({ status })))).toBe('HEAD | - | - | x-api-key k')
  })

  test('a plain GET stays the same message', () => {
    expect(redirectedMessage(plainGet, redirection())).toEqual({ message: plainGet, leftOut: [] })
  })

  test.each<[string, readonly string[], string | null]>([
    ['a=1; b=2', [], 'a=1; b=2'],
    ['a=1; b=2', ['c=3; Path=/'], 'a=1; b=2'],
    ['a=1; b=2', ['a=9; Path=/'], 'b=2'],
    ['a=1; b=2', ['b=; Max-Age=0'], 'a=1'],
    ['a=1', ['a=2'], null],
    ['a=1', ['A=2'], 'a=1'],
    // what the jar ignores replaces nothing: RFC 6265 5.3, RFC 6265bis 5.7
    ['a=1; aa=2', ['a'], 'a=1; aa=2'],
    ['a=1', ['a=2; Domain=other.example.com'], 'a=1'],
    ['a=1', ['a=2; Domain=com'], 'a=1'],
    ['a=1', ['a=2; Domain=example.com'], null],
    ['a=1', ['a=2; Path=/admin'], 'a=1'],
    ['a=1', ['a=; Path=/admin; Max-Age=0'], 'a=1'],
    ['a=1', ['a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], null],
    ['a=1', ['a=2; Secure; HttpOnly'], null],
    ['__Host-a=1', ['__Host-a=2; Path=/'], '__Host-a=1'],
    ['a=1', [`a=${'x'.repeat(5_000)}`], 'a=1'],
  ])(
    'the own cookies %j after Set-Cookie %j are %j: the jar has the others',
    (cookie, setCookie, expected) => {
      const found = redirectedMessage({ ...plainGet, own: own({ cookie }) }, redirection({ setCookie }))
      expect('message' in found ? found.message.own?.cookie : null).toBe(expected)
    },
  )
})

test('over http a cookie for https replaces no own one', () => {
  const http = { from: 'http://shop.example.com/a', to: 'http://shop.example.com/b' }
  const sent = { ...plainGet, own: own({ cookie: 'a=1' }) }
  const found = redirectedMessage(sent, redirection({ ...http, setCookie: ['a=2; Secure'] }))
  expect('message' in found && found.message.own?.cookie).toBe('a=1')
})

describe('the origin', () => {
  /** RFC 6454 4, WHATWG URL: scheme, host and port. */
  test.each<[string, string, boolean]>([
    [here, 'https://shop.example.com/c?d#e', true],
    [here, 'HTTPS://SHOP.EXAMPLE.COM/b', true],
    [here, 'https://shop.example.com:443/b', true],
    ['http://shop.example.com/', 'http://shop.example.com:80/b', true],
    ['http://shop.example.com:8080/', 'http://shop.example.com:8080/b', true],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/b', true],
    ['http://127.0.0.1/', 'http://0x7f.1/', true],
    ['http://[::1]/', 'http://[0:0:0:0:0:0:0:1]/', true],
    [here, 'http://shop.example.com/b', false],
    ['http://shop.example.com/', 'https://shop.example.com/', false],
    [here, 'https://shop.example.com:8443/b', false],
    [here, 'https://www.shop.example.com/b', false],
    [here, 'https://example.com/b', false],
    [here, 'https://shop.example.com./b', false],
    ['http://127.0.0.1/', 'http://localhost/', false],
  ])('%s to %s is the same: %j', (from, to, isSame) => {
    const found = redirectedMessage({ ...plainGet, own: own() }, redirection({ from, to }))
    expect(found).toMatchObject({ leftOut: isSame ? [] : ['x-api-key'] })
    expect('message' in found && found.message.own !== undefined).toBe(isSame)
  })
})

describe('at another origin', () => {
  const away = redirection({ status: 307, to: 'https://other.example.com/' })

  test('all own parts are left out and named, but the trace', () => {
    const all = own({
      fields: ['authorization', 'Basic x', 'traceparent', '00'],
      accept: 'text/html',
      cookie: 'a=1',
      trust: {} as SecureContext,
    })
    expect(redirectedMessage({ ...plainGet, own: all }, away)).toEqual({
      message: plainGet,
      leftOut: ['accept', 'cookie', 'authorization', 'client certificate'],
    })
    const traced = own({ fields: ['traceparent', '00'] })
    expect(redirectedMessage({ ...plainGet, own: traced }, away)).toEqual({ message: plainGet, leftOut: [] })
    const post = { method: 'POST', body: null, contentType: null, own: traced } as const
    expect(shown(redirectedMessage(post, away))).toBe('POST | - | - | -')
  })

  test('HEAD stays HEAD, without a type of a body that it has not', () => {
    const head = { method: 'HEAD', body: null, contentType: 'text/plain', own: own() } as const
    expect(shown(redirectedMessage(head, away))).toBe('HEAD | - | - | -')
  })

  test('a body that 303 drops is none', () => {
    expect(shown(redirectedMessage(withBody('PUT'), { ...away, status: 303 }))).toBe('GET | - | - | -')
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    '%s with a body is not repeated',
    (method) => {
      expect(shown(redirectedMessage({ ...withBody(method) }, away))).toBe('redirect_not_repeated')
    },
  )

  test('an empty body is none', () => {
    const empty = { method: 'POST', body: Buffer.alloc(0), contentType: null } as const
    expect(shown(redirectedMessage(empty, away))).toBe('POST |  | - | -')
  })
})
