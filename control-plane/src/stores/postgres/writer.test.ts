import { expect, test } from 'vitest'
import { namesSeveral, ofIpv6, urlsOfHosts } from './hosts.ts'
import { chooseWriter } from './writer.ts'

test("a URL in libpq's form names one server for each host, each with its own port", () => {
  const url = 'postgres://u:p%40@one:6001,two:6002,three/mesh?sslmode=require&target_session_attrs=primary'
  expect(urlsOfHosts(url)).toEqual([
    'postgres://u:p%40@one:6001/mesh?sslmode=require&',
    'postgres://u:p%40@two:6002/mesh?sslmode=require&',
    'postgres://u:p%40@three/mesh?sslmode=require&',
  ])
  expect(namesSeveral(url)).toBe(true)
  expect(namesSeveral('postgres://u:p@one:6001/mesh')).toBe(false)
  expect(urlsOfHosts('postgres://one/mesh')).toEqual(['postgres://one/mesh'])
})

const at = (host: string, cluster: string, timeline: number) => ({
  host,
  port: 5432,
  cluster,
  timeline,
})

test('an IPv6 address of a URL goes to the driver apart, with its port', () => {
  expect(ofIpv6('postgres://mesh:p@[::1]:5433/mesh')).toEqual({ host: ['::1'], port: [5433] })
  expect(ofIpv6('postgres://mesh:p@[fd00::5]/mesh')).toEqual({ host: ['fd00::5'], port: [5432] })
  expect(ofIpv6('postgres://mesh:p@db.example:5433/mesh')).toEqual({})
})

test('writes to the server that was promoted last, at any position in the URL', () => {
  const former = at('one', 'a', 1)
  const promoted = at('two', 'a', 2)
  expect(chooseWriter([former, promoted], null)).toEqual(promoted)
  expect(chooseWriter([promoted, former], null)).toEqual(promoted)
  expect(chooseWriter([], null)).toBeNull()
})

test('never writes to a former primary or another Postgres once the right one is known', () => {
  const known = { cluster: 'a', timeline: 2 }
  expect(() => chooseWriter([at('one', 'a', 1)], known)).toThrow('one:5432 is a former primary')
  expect(() => chooseWriter([at('one', 'b', 1)], known)).toThrow('one:5432 is not the Postgres')
  expect(chooseWriter([at('one', 'b', 9), at('two', 'a', 3)], known)).toEqual(at('two', 'a', 3))
})

test('writes to neither of two servers if the choice is ambiguous', () => {
  expect(() => chooseWriter([at('one', 'a', 1), at('two', 'b', 1)], null)).toThrow(
    'one:5432 and two:5432 accept writes, and neither follows the other',
  )
  expect(() => chooseWriter([at('one', 'a', 2), at('two', 'a', 2)], null)).toThrow(
    'one:5432 and two:5432 accept writes on the same timeline',
  )
})
