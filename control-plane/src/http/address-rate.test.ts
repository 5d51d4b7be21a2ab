import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createAddressRate } from './address-rate.ts'

const rateOf = (options: { limit: number; addressesMax?: number }) => {
  const clock = { nowMs: 0 }
  return {
    clock,
    rate: createAddressRate({ now: () => clock.nowMs, windowMs: 60_000, ...options }),
  }
}

describe('the rate limit of client addresses', () => {
  test('limits each address in any minute, and returns the wait for the next request', () => {
    const { clock, rate } = rateOf({ limit: 2 })
    expect([rate.take('192.0.2.1'), rate.take('192.0.2.1')]).toEqual([0, 0])
    clock.nowMs = 20_000
    expect(rate.take('192.0.2.1')).toBe(40)
    expect(rate.take('192.0.2.2')).toBe(0)
    clock.nowMs = 60_000
    expect(rate.take('192.0.2.1')).toBe(0)
  })

  test.each(['192.0.2.1', '2001:db8:1:2::1'])('connections of one address have one count: %s', (address) => {
    const { rate } = rateOf({ limit: 4 })
    const [one, other] = [{}, {}]
    const spent = [one, other, one, undefined, one].map((connection) => rate.spend(address, connection))
    expect(spent.map(({ allowed, left }) => [allowed, left])).toEqual([
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ])
    expect(rate.spend('192.0.2.2', {}).allowed).toBe(true)
  })

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8:0:0:5::', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('counts a household of IPv6 addresses as one: %s and %s', (one, other, same) => {
    const { rate } = rateOf({ limit: 1 })
    expect(rate.take(one)).toBe(0)
    expect(rate.take(other) > 0).toBe(same)
  })

  test.each([
    ['/56', 4, (n: number) => `2001:db8:1:2${n.toString(16).padStart(2, '0')}::1`, 2],
    ['/48', 20, (n: number) => `2001:db8:1:${n.toString(16)}00::1`, 4],
  ])('also limits a whole %s, more generously than a household', (_, count, from, times) => {
    const limit = 3
    const { clock, rate } = rateOf({ limit })
    const takes = () => Array.from({ length: count * limit }, (_none, n) => rate.take(from(n % count)))
    expect(takes().filter((wait) => wait === 0)).toHaveLength(times * limit)
    expect(rate.take('2001:db8:2:200::1')).toBe(0)
    expect(rate.spend(from(count + 1))).toEqual({ allowed: false, left: 0, resetMs: 60_000 })
    clock.nowMs = 60_000
    expect(takes().filter((wait) => wait === 0)).toHaveLength(times * limit)
  })

  test.each(['192.0.2.1', '2001:db8:2::1'])(
    'a /48 with many addresses displaces no other network: %s',
    (other) => {
      const limit = 100
      const { rate } = rateOf({ limit, addressesMax: 50 })
      for (let n = 0; n < limit; n += 1) rate.take(other)
      for (let n = 0; n < 300; n += 1) expect(rate.take(`2001:db8:1:${n}::1`)).toBe(0)
      expect(rate.size()).toBe(50)
      expect(rate.take(other)).toBeGreaterThan(0)
      for (let n = 0; n < 1_000; n += 1) rate.take(`2001:db8:1:${n}::1`)
      // its own count stays too
      expect(rate.take('2001:db8:1:ffff::1')).toBeGreaterThan(0)
    },
  )

  test('keeps a bounded number of addresses in memory', () => {
    const { rate } = rateOf({ limit: 1, addressesMax: 10 })
    for (let n = 0; n < 100; n += 1) rate.take(`192.0.2.${n}`)
    expect(rate.size()).toBe(10)
  })

  test('returns the remaining requests, also after a refusal', () => {
    const { clock, rate } = rateOf({ limit: 2 })
    expect(rate.spend('192.0.2.1')).toEqual({ allowed: true, left: 1, resetMs: 60_000 })
    clock.nowMs = 20_000
    expect(rate.spend('192.0.2.1')).toEqual({ allowed: true, left: 0, resetMs: 40_000 })
    expect(rate.spend('192.0.2.1')).toEqual({ allowed: false, left: 0, resetMs: 40_000 })
  })

  test('drops an address that was idle for a minute at the next request', () => {
    const { clock, rate } = rateOf({ limit: 2 })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) rate.take(address)
    clock.nowMs = 30_000
    rate.take('192.0.2.2')
    clock.nowMs = 59_999
    rate.take('192.0.2.4')
    expect(rate.size()).toBe(4)
    clock.nowMs = 60_000
    rate.take('192.0.2.4')
    expect(rate.size()).toBe(2)
  })

  test('holds hashes and windows in memory, and no address', async () => {
    const program = `
      import { text } from 'node:stream/consumers'
      import { getHeapSnapshot } from 'node:v8'
      import { createAddressRate } from '${new URL('address-rate.ts', import.meta.url).href}'
      const rate = createAddressRate({ now: Date.now, limit: 60, windowMs: 60_000 })
      for (let n = 0; n < 1_000; n += 1) rate.spend('10.1.' + (n >> 8) + '.' + (n & 255))
      rate.spend('192.0.2.1')
      const { strings } = JSON.parse(await text(getHeapSnapshot()))
      const held = (form) => strings.filter((held) => form.test(held))
      const addresses = held(/^10\\.1\\.\\d+\\.\\d+$/)
      console.log(JSON.stringify({ size: rate.size(), addresses, hashes: held(/^[\\w-]{43}$/) }))`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
    const { size, addresses, hashes } = JSON.parse(stdout)
    expect({ size, addresses }).toEqual({ size: 1_001, addresses: [] })
    // the hashes are in memory, and cannot be computed without the salt
    expect(hashes.length).toBeGreaterThanOrEqual(1_001)
    expect(hashes).not.toContain(hash('sha256', '10.1.0.0', 'base64url'))
  })
})
