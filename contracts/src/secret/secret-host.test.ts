import { expect, test } from 'vitest'
import { bindTo, mayReceive } from './secret.ts'
import { entryOf, hostsBeyond, maySendTo } from './secret-host.ts'

const sendsTo = (entry: string, url: string): boolean => maySendTo([entry], new URL(url))

test.each([
  ['api.example.com', 'https://api.example.com/a', true],
  ['api.example.com', 'https://api.example.com:443/', true],
  ['api.example.com', 'http://api.example.com/', false],
  ['api.example.com', 'https://api.example.com:8443/', false],
  ['api.example.com', 'http://api.example.com:443/', false],
  ['api.example.com', 'ftp://api.example.com/', false],
  ['api.example.com', 'https://a.api.example.com/', false],
  ['api.example.com:8443', 'https://api.example.com:8443/', true],
  ['api.example.com:8443', 'http://api.example.com:8443/', false],
  ['api.example.com:8443', 'https://api.example.com/', false],
  ['http://api.example.com', 'http://api.example.com/', true],
  ['http://api.example.com', 'https://api.example.com/', false],
  ['http://api.example.com:8080', 'http://api.example.com:8080/', true],
  ['http://api.example.com:8080', 'http://api.example.com/', false],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://notexample.com/', false],
  ['http://*.example.com:8080', 'http://a.example.com:8080/', true],
  ['[::1]', 'https://[::1]/', true],
  ['http://[::1]:8080', 'http://[::1]:8080/', true],
  ['[::1]', 'https://[::2]/', false],
])('%s lets a secret be sent to %s: %s', (entry, url, may) => {
  expect(sendsTo(entry, url)).toBe(may)
  if (may) expect(sendsTo(entryOf(new URL(url)), url)).toBe(true)
})

test('a change of scheme or port allows more, and a narrower host does not', () => {
  const allowed = ['*.example.com', 'http://a.example.org:8080']
  const more = ['http://*.example.com', '*.example.com:8443', 'a.example.org:8080', 'example.com']
  expect(hostsBeyond([...more, 'x.example.com', '*.y.example.com', ...allowed], allowed)).toEqual(more)
})

test('what is sealed for a check opens the way to its own requests, and an earlier agent reads it', () => {
  const hosts = ['*.example.com', 'http://a.example.com:8080']
  const urls = ['https://a.example.com/x', 'http://a.example.com:8080/', 'http://a.example.com/', 'broken']
  const bound = bindTo(hosts, urls)
  expect(bound).toEqual({
    hosts: ['*.example.com:443', 'a.example.com:8080'],
    origins: ['https://a.example.com', 'http://a.example.com:8080'],
  })
  const earlier = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/
  const ofEarlier = [...bound.hosts, ...bindTo(['http://[::1]:8080'], ['http://[::1]:8080/']).hosts]
  for (const host of [...ofEarlier, ...bindTo([], []).hosts]) expect(host).toMatch(earlier)
  const may = (url: string) => mayReceive(bound, new URL(url))
  expect(['https://a.example.com/y', 'http://a.example.com:8080/y'].map(may)).toEqual([true, true])
  const others = ['https://b.example.com/', 'http://a.example.com/', 'https://a.example.com:8080/']
  expect(others.map(may)).toEqual([false, false, false])
  expect(bindTo(hosts, ['https://elsewhere.example/'])).toEqual({ hosts: ['secret.invalid'], origins: [] })
})

test('what an earlier version sealed and an agent has on disk goes where that version let it', () => {
  const may = (hosts: string[], url: string) => mayReceive({ hosts }, new URL(url))
  expect(may(['api.example.com'], 'http://api.example.com:8080/')).toBe(true)
  expect(may(['api.example.com:8443'], 'https://api.example.com:8443/')).toBe(true)
  expect(may(['api.example.com:8443'], 'https://api.example.com/')).toBe(false)
  expect(may(['*.example.com'], 'https://a.example.com/')).toBe(true)
  expect(may(['api.example.com'], 'https://evil.example/')).toBe(false)
})
