import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { createCookies } from './cookies.ts'

const url = (text: string): URL => new URL(text)
const here = 'https://a.shop.example.com/cart/now'

/** The Cookie header of a later request after one response. */
const after = (setCookies: string[], from: string, to = from): string | null => {
  const cookies = createCookies()
  cookies.merge(url(from), setCookies)
  return cookies.headerFor(url(to))
}

describe('a cookie', () => {
  test.each<[string, string, string, string, string | null]>([
    ['of the host goes back to it', 'a=b', here, here, 'a=b'],
    ['of the host goes to no other', 'a=b', here, 'https://b.shop.example.com/cart/', null],
    [
      'of a domain goes to its hosts',
      'a=b; Domain=shop.example.com; Path=/',
      here,
      'https://b.shop.example.com/',
      'a=b',
    ],
    [
      'of a domain goes to no neighbour',
      'a=b; Domain=shop.example.com; Path=/',
      here,
      'https://xshop.example.com/',
      null,
    ],
    ['of another domain is refused', 'a=b; Domain=other.com', here, 'https://other.com/', null],
    [
      'of a subdomain is refused',
      'a=b; Domain=x.a.shop.example.com',
      here,
      'https://x.a.shop.example.com/cart/',
      null,
    ],
    ['of a top-level domain is refused', 'a=b; Domain=com', here, here, null],
    ['of a public suffix is refused', 'a=b; Domain=co.uk', 'https://a.co.uk/', 'https://b.co.uk/', null],
    [
      'below a public suffix is kept',
      'a=b; Domain=a.co.uk',
      'https://x.a.co.uk/',
      'https://y.a.co.uk/',
      'a=b',
    ],
    [
      'of a private suffix is refused',
      'a=b; Domain=github.io',
      'https://a.github.io/',
      'https://b.github.io/',
      null,
    ],
    ['of an address goes back to it', 'a=b', 'http://93.184.216.34/', 'http://93.184.216.34/', 'a=b'],
    ['that is Secure goes to https', 'a=b; Secure', here, here, 'a=b'],
    ['that is Secure does not go to http', 'a=b; Secure', here, here.replace('https', 'http'), null],
    ['that is Secure is not taken from http', 'a=b; Secure', here.replace('https', 'http'), here, null],
    [
      'that is Secure does not go to http on loopback',
      'a=b; Secure',
      'https://127.0.0.1/',
      'http://127.0.0.1/',
      null,
    ],
    ['of http goes to https', 'a=b', here.replace('https', 'http'), here, 'a=b'],
    ['goes to every port', 'a=b', here, 'https://a.shop.example.com:8443/cart/', 'a=b'],
    ['goes below its path', 'a=b; Path=/cart', here, 'https://a.shop.example.com/cart/x', 'a=b'],
    ['does not go beside its path', 'a=b; Path=/cart', here, 'https://a.shop.example.com/carts', null],
    ['without a path stays in its folder', 'a=b', here, 'https://a.shop.example.com/', null],
    ['that is HttpOnly and SameSite goes back', 'a=b; HttpOnly; SameSite=Strict', here, here, 'a=b'],
    ['that has no name is refused', '=b', here, here, null],
    ['that is no pair is refused', 'a', here, here, null],
    ['that is empty is kept', 'a=', here, here, 'a='],
    ['keeps its quotes and equal signs', 'a="b=c"', here, here, 'a="b=c"'],
    ['with bytes beyond ASCII keeps them', 'a=gr\u00c3\u00b6', here, here, 'a=gr\u00c3\u00b6'],
    ['with the prefix __Host- needs its attributes', '__Host-a=b; Path=/', here, here, null],
    [
      'with the prefix __Host- and its attributes is kept',
      '__Host-a=b; Secure; Path=/',
      here,
      here,
      '__Host-a=b',
    ],
    ['of 4,096 bytes is kept', `a=${'b'.repeat(4_095)}`, here, here, `a=${'b'.repeat(4_095)}`],
    ['of 4,097 bytes is left out', `a=${'b'.repeat(4_096)}`, here, here, null],
    [
      'with 1 KB of attributes is left out',
      `${'a'.repeat(4_090)}=b; Path=/${'c'.repeat(1_100)}`,
      here,
      here,
      null,
    ],
    ['that is over already is not kept', 'a=b; Max-Age=0', here, here, null],
    ['whose Max-Age is negative is not kept', `a=b; Max-Age=-${'9'.repeat(400)}`, here, here, null],
    ['whose Max-Age is huge is kept', `a=b; Max-Age=${'9'.repeat(400)}`, here, here, 'a=b'],
    ['that expired is not kept', 'a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT', here, here, null],
    ['that expires later is kept', 'a=b; Expires=Wed, 21 Oct 2099 07:28:00 GMT', here, here, 'a=b'],
    [
      'that expired with a Max-Age is kept',
      'a=b; Max-Age=9; Expires=Wed, 21 Oct 2015 07:28:00 GMT',
      here,
      here,
      'a=b',
    ],
  ])('%s', (_, setCookie, from, to, expected) => {
    expect(after([setCookie], from, to)).toBe(expected)
  })
})

describe('a jar', () => {
  test('keeps the newest value, and removes what a target deletes', () => {
    expect(after(['a=1', 'b=2', 'a=3'], here)).toBe('a=3; b=2')
    expect(after(['a=1', 'b=2', 'a=; Max-Age=0'], here)).toBe('b=2')
  })

  test('sends longer paths first, then older cookies', () => {
    expect(after(['a=1; Path=/', 'b=2; Path=/cart', 'c=3; Path=/'], here)).toBe('b=2; a=1; c=3')
  })

  test('drops an expired cookie, however often it was sent', () => {
    let now = 1_795_000_000_000
    const cookies = createCookies(() => now)
    cookies.merge(url(here), ['a=b; Max-Age=10', 'c=d'])
    now += 9_999
    expect(cookies.headerFor(url(here))).toBe('a=b; c=d')
    now += 1
    expect(cookies.headerFor(url(here))).toBe('c=d')
  })

  const numbered = (count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, index) => `c${from + index}=v; Path=/`)
  const sent = (header: string | null): number => header?.split('; ').length ?? 0

  test('keeps fifty cookies: the next is ignored, a new value of one of them is not', () => {
    const cookies = createCookies()
    cookies.merge(url(here), numbered(50))
    cookies.merge(url('https://b.shop.example.com/'), ['more=x; Domain=shop.example.com; Path=/'])
    cookies.merge(url(here), ['c7=new; Path=/'])
    const header = cookies.headerFor(url(here)) ?? ''
    expect(sent(header)).toBe(50)
    expect(header).toContain('c7=new')
    expect(header).not.toContain('more=x')
  })

  test('that is full has room again when a cookie expires', () => {
    let now = 1_795_000_000_000
    const cookies = createCookies(() => now)
    cookies.merge(url(here), ['old=1; Max-Age=1; Path=/', ...numbered(49)])
    cookies.merge(url(here), ['early=1; Path=/'])
    now += 1_000
    cookies.merge(url(here), ['late=1; Path=/'])
    const header = cookies.headerFor(url(here)) ?? ''
    expect(sent(header)).toBe(50)
    expect(header).not.toMatch(/old=|early=/)
    expect(header).toContain('late=1')
  })

  test('reads a hundred Set-Cookie headers of one response', () => {
    const expired = Array.from({ length: 99 }, () => 'gone=1; Max-Age=0')
    expect(after([...expired, 'a=1', 'b=2'], here)).toBe('a=1')
  })

  test('accepts anything without an exception, and sends only valid headers', () => {
    const latin = fc.string({
      unit: fc.integer({ min: 0x09, max: 0xff }).map((code) => String.fromCharCode(code)),
    })
    const attribute = fc.constantFrom('Domain=', 'Path=', 'Max-Age=', 'Expires=', 'Secure', '')
    const setCookie = fc
      .tuple(latin, latin, fc.array(fc.tuple(attribute, latin)))
      .map(([name, value, more]) => [`${name}=${value}`, ...more.map((each) => each.join(''))].join(';'))
    forAll(
      [
        fc.array(setCookie),
        fc.constantFrom(
          here,
          'http://127.0.0.1/',
          'http://a.localhost./',
          'http://[::1]/',
          'https://xn--p1ai/',
        ),
      ],
      (texts, from) => {
        const header = after(texts, from)
        // oxlint-disable-next-line no-control-regex -- control characters are what must not come
        expect(header ?? '').toMatch(/^[\t\u0020-\u007e\u0080-\u00ff]*$/)
      },
    )
  })
})
