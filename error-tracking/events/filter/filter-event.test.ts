import { noErrorFilters, type ErrorFilters } from '../../contracts/error-settings.ts'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { readEvent } from '../envelope/read-event.ts'
import type { RawEvent } from '../raw/raw-event.ts'
import { rawEvent, rawException, rawFrame } from '../testing/raw-events.ts'
import { filteredBy, matchedCharactersMax } from './filter-event.ts'

const everything: ErrorFilters = {
  messages: ['*timeout*', 'TypeError: null'],
  releases: ['shop@1.*'],
  environments: ['development'],
  browserExtensions: true,
  localhost: true,
  webCrawlers: true,
}
const at = (url: unknown) => rawEvent({ context: { request: { url } } })
const by = (userAgent: unknown) =>
  rawEvent({ context: { request: { headers: { 'user-agent': userAgent } } } })
const thrownIn = (...files: (string | null)[]) =>
  rawEvent({ exceptions: [rawException({ frames: files.map((file) => rawFrame({ file })) })] })
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const google = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

test.each<[string, RawEvent, keyof ErrorFilters | null]>([
  ['without any data', rawEvent(), null],
  ['with a matching message', rawEvent({ message: 'Timeout of 3 s' }), 'messages'],
  ['with another message', rawEvent({ message: 'time out' }), null],
  ['with a matching value', rawEvent({ exceptions: [rawException({ value: 'a timeout' })] }), 'messages'],
  ['with matching type and value', rawEvent({ exceptions: [rawException({ value: 'null' })] }), 'messages'],
  ['with a longer value', rawEvent({ exceptions: [rawException({ value: 'null!' })] }), null],
  [
    'with a matching cause only',
    rawEvent({ exceptions: [rawException({ value: 'timeout' }), rawException()] }),
    null,
  ],
  [
    'with a matching type only',
    rawEvent({ exceptions: [rawException({ type: 'TimeoutError', value: null })] }),
    'messages',
  ],
  ['with a matching release', rawEvent({ release: 'SHOP@1.2' }), 'releases'],
  ['with another release', rawEvent({ release: 'shop@2.1.0' }), null],
  ['with a matching environment', rawEvent({ environment: 'Development' }), 'environments'],
  ['with another environment', rawEvent({ environment: 'development-2' }), null],
  ['thrown in a Chrome extension', thrownIn('chrome-extension://abc/c.js'), 'browserExtensions'],
  [
    'thrown in a Firefox extension',
    thrownIn('moz-extension://abc/c.js', 'https://x.org/a.js'),
    'browserExtensions',
  ],
  [
    'thrown in a Safari extension',
    thrownIn('<anonymous>', null, 'webkit-masked-url://hidden/'),
    'browserExtensions',
  ],
  [
    'with an extension in an outer frame only',
    thrownIn('https://x.org/a.js', 'chrome-extension://abc/c.js'),
    null,
  ],
  ['thrown in a page with an extension in its URL', thrownIn('https://x.org/?chrome-extension://abc'), null],
  ['on localhost', at('http://localhost:3000/a'), 'localhost'],
  ['on a subdomain of localhost', at('http://shop.LOCALHOST/'), 'localhost'],
  ['on a loopback address', at('https://127.8.0.1/'), 'localhost'],
  ['on a loopback address as a number', at('http://2130706433/'), 'localhost'],
  ['on the IPv6 loopback address', at('http://[::1]:8080/'), 'localhost'],
  ['on an IPv4-mapped loopback address', at('http://[::ffff:127.0.0.1]/'), 'localhost'],
  ['on a domain with the label localhost', at('https://localhost.example.org/'), null],
  ['on a name that ends with localhost', at('https://notlocalhost/'), null],
  ['on a private network', at('http://192.168.0.1/'), null],
  ['on a path with localhost', at('https://example.org/localhost'), null],
  ['with an invalid URL', at('localhost'), null],
  ['with an object as URL', at({}), null],
  ['of a crawler', by(google), 'webCrawlers'],
  ['of a crawler in a list of header values', by([google]), 'webCrawlers'],
  ['of a browser', by(chrome), null],
  ['with an empty user agent', by(''), null],
  [
    'of a crawler with headers as pairs',
    rawEvent({ context: { request: { headers: [['User-Agent', google]] } } }),
    'webCrawlers',
  ],
])('finds the filter for an event %s, and none if no filter is set', (_, event, filter) => {
  expect(filteredBy(event, everything)).toBe(filter)
  expect(filteredBy(event, noErrorFilters)).toBe(null)
})

test('a pattern matches the first 8,192 characters of a long text', () => {
  const filters = { ...noErrorFilters, messages: ['*b*'] }
  const message = `${'a'.repeat(matchedCharactersMax - 1)}b`
  expect(filteredBy(rawEvent({ message }), filters)).toBe('messages')
  expect(filteredBy(rawEvent({ message: `a${message}` }), filters)).toBe(null)
})

test('decides about any event with any filters, without an error', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('*', 'a*', '**', '\ud800'))
  const filters = fc.record({
    messages: fc.array(text),
    releases: fc.array(text),
    environments: fc.array(text),
    browserExtensions: fc.boolean(),
    localhost: fc.boolean(),
    webCrawlers: fc.boolean(),
  })
  const request = fc.record({ url: fc.jsonValue(), headers: fc.jsonValue() })
  const payload = fc.record({
    request: fc.oneof(request, fc.jsonValue()),
    message: fc.jsonValue(),
    release: fc.jsonValue(),
    environment: fc.jsonValue(),
    exception: fc.jsonValue(),
  })
  forAll([payload, filters], { numRuns: 500 }, (sent, filters) => {
    const event = readEvent({ event_id: 'e'.repeat(32), ...sent }, { receivedAt: 0 })
    if ('problem' in event) throw new Error(event.problem)
    const filter = filteredBy(event, filters)
    expect(filter === null || filter in filters).toBe(true)
  })
})
