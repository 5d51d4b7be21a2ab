import { expect, test } from 'vitest'
import { zoneNamesOf } from './name-servers.ts'

test.each([
  ['api.eu.example.com', ['api.eu.example.com', 'eu.example.com', 'example.com']],
  ['example.com', ['example.com']],
  ['WWW.Example.COM.', ['www.example.com', 'example.com']],
  ['www.example.co.uk', ['www.example.co.uk', 'example.co.uk', 'co.uk']],
])('the zone of %s may start at %j, never at a top-level name', (host, names) => {
  expect(zoneNamesOf(host)).toEqual(names)
})

test.each([
  ['a top-level name', 'com'],
  ['a name of one label', 'intranet.'],
  ['an IPv4 address', '93.184.216.34'],
  ['an IPv6 address', '2001:db8::1'],
  ['an IPv6 address as a URL has it', '[2001:db8::1]'],
  ['localhost', 'localhost'],
  ['a name below localhost', 'app.localhost'],
  ['the root', '.'],
  ['nothing', ''],
  ['an empty label', 'a..example.com'],
  ['a name that is too long', `${'a.'.repeat(126)}com`],
])('%s is in no zone', (_, host) => {
  expect(zoneNamesOf(host)).toEqual([])
})

test('the longest name is in one', () => {
  expect(zoneNamesOf(`${'a.'.repeat(125)}com`)).toHaveLength(125)
})
