import { noErrorFilters } from '@probe-mesh/contracts/error-tracking/error-settings'
import type { ErrorFilters } from '@probe-mesh/contracts/error-tracking/error-settings'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvent } from '../envelope/read-event.ts'
import type { RawEvent } from '../raw/raw-event.ts'
import { rawEvent, rawException, rawFrame } from '../testing/raw-events.ts'
import { filteredBy, lookedAtMax } from './filter-event.ts'

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
  ['without a word', rawEvent(), null],
  ['of a message', rawEvent({ message: 'Timeout of 3 s' }), 'messages'],
  ['of another', rawEvent({ message: 'time out' }), null],
  ['of a value', rawEvent({ exceptions: [rawException({ value: 'a timeout' })] }), 'messages'],
  ['of type and value', rawEvent({ exceptions: [rawException({ value: 'null' })] }), 'messages'],
  ['of more', rawEvent({ exceptions: [rawException({ value: 'null!' })] }), null],
  [
    'whose cause alone it is',
    rawEvent({ exceptions: [rawException({ value: 'timeout' }), rawException()] }),
    null,
  ],
  [
    'of a type alone',
    rawEvent({ exceptions: [rawException({ type: 'TimeoutError', value: null })] }),
    'messages',
  ],
  ['of a release', rawEvent({ release: 'SHOP@1.2' }), 'releases'],
  ['of the next', rawEvent({ release: 'shop@2.1.0' }), null],
  ['of an environment', rawEvent({ environment: 'Development' }), 'environments'],
  ['of another environment', rawEvent({ environment: 'development-2' }), null],
  ['thrown in an extension', thrownIn('chrome-extension://abc/c.js'), 'browserExtensions'],
  ['of Firefox', thrownIn('moz-extension://abc/c.js', 'https://x.org/a.js'), 'browserExtensions'],
  ['of Safari', thrownIn('<anonymous>', null, 'webkit-masked-url://hidden/'), 'browserExtensions'],
  ['thrown above one', thrownIn('https://x.org/a.js', 'chrome-extension://abc/c.js'), null],
  ['thrown in what names one', thrownIn('https://x.org/?chrome-extension://abc'), null],
  ['of localhost', at('http://localhost:3000/a'), 'localhost'],
  ['of a name below it', at('http://shop.LOCALHOST/'), 'localhost'],
  ['of its network', at('https://127.8.0.1/'), 'localhost'],
  ['of it as a number', at('http://2130706433/'), 'localhost'],
  ['of it in IPv6', at('http://[::1]:8080/'), 'localhost'],
  ['of it in both', at('http://[::ffff:127.0.0.1]/'), 'localhost'],
  ['of a name like it', at('https://localhost.example.org/'), null],
  ['of a name that ends so', at('https://notlocalhost/'), null],
  ['of a private network', at('http://192.168.0.1/'), null],
  ['of a path that names it', at('https://example.org/localhost'), null],
  ['of no URL', at('localhost'), null],
  ['of what is no text', at({}), null],
  ['met by a crawler', by(google), 'webCrawlers'],
  ['in a list', by([google]), 'webCrawlers'],
  ['met by a person', by(chrome), null],
  ['met by nobody', by(''), null],
  [
    'whose headers are pairs',
    rawEvent({ context: { request: { headers: [['User-Agent', google]] } } }),
    'webCrawlers',
  ],
])('an event %s', (_, event, filter) => {
  expect(filteredBy(event, everything)).toBe(filter)
  expect(filteredBy(event, noErrorFilters)).toBe(null)
})

test('a pattern reads the beginning of a long text', () => {
  const filters = { ...noErrorFilters, messages: ['*b*'] }
  const message = `${'a'.repeat(lookedAtMax - 1)}b`
  expect(filteredBy(rawEvent({ message }), filters)).toBe('messages')
  expect(filteredBy(rawEvent({ message: `a${message}` }), filters)).toBe(null)
})

test('decides any event with any filter', () => {
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
  fc.assert(
    fc.property(payload, filters, (sent, filters) => {
      const event = readEvent({ event_id: 'e'.repeat(32), ...sent }, { receivedAt: 0 })
      if ('problem' in event) throw new Error(event.problem)
      const filter = filteredBy(event, filters)
      expect(filter === null || filter in filters).toBe(true)
    }),
    { numRuns: 500 },
  )
})
