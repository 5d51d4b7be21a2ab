import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTargetRate } from './target-rate.ts'

const setUp = (perSecond: number, addressesMax = 1_000) => {
  const clock = { ms: 5_000 }
  const rate = createTargetRate({
    perSecond: () => perSecond,
    nowMs: () => clock.ms,
    addressesMax,
  })
  const spendMany = (address: string, times: number): number =>
    Array.from({ length: times }, () => rate.spend(address)).filter(Boolean).length
  return { rate, clock, spendMany }
}

describe('one address', () => {
  test('is asked as often as two seconds allow at once, and then at its rate', () => {
    const { rate, clock, spendMany } = setUp(10)
    expect(spendMany('192.0.9.1', 50)).toBe(20)
    clock.ms += 99
    expect(rate.spend('192.0.9.1')).toBe(false)
    clock.ms += 1
    expect(rate.spend('192.0.9.1')).toBe(true)
    expect(rate.spend('192.0.9.1')).toBe(false)
    clock.ms += 60_000
    expect(spendMany('192.0.9.1', 50)).toBe(20)
    expect(rate.counts.refused).toBe(30 + 2 + 30)
  })

  test('takes nothing of another', () => {
    const { spendMany } = setUp(10)
    expect(spendMany('192.0.9.1', 50)).toBe(20)
    expect(spendMany('192.0.9.2', 50)).toBe(20)
  })

  test.each([
    ['2001:200::1', '2001:200::2', 'is'],
    ['2001:200::1', '2001:200:0:0:ffff::', 'is'],
    ['2001:0200:0:0::1', '2001:200::2', 'is'],
    ['2001:200::1', '2001:200:0:1::1', 'is not'],
    ['::1', '::2', 'is'],
  ])('%s and %s: one /64 %s', (one, other, same) => {
    const { spendMany } = setUp(10)
    spendMany(one, 20)
    expect(spendMany(other, 20)).toBe(same === 'is' ? 0 : 20)
  })

  test('is asked at least once, however low its rate is', () => {
    const { rate, clock } = setUp(0.1)
    expect(rate.spend('192.0.9.1')).toBe(true)
    clock.ms += 9_999
    expect(rate.spend('192.0.9.1')).toBe(false)
    clock.ms += 1
    expect(rate.spend('192.0.9.1')).toBe(true)
  })

  test('is in no span of time asked more often than the rate and the burst say', () => {
    const steps = fc.array(fc.nat(400), { maxLength: 300 })
    fc.assert(
      fc.property(steps, fc.constantFrom(1, 3, 10, 100), (pauses, perSecond) => {
        const { rate, clock } = setUp(perSecond)
        const spent: number[] = []
        for (const pause of pauses) {
          clock.ms += pause
          if (rate.spend('192.0.9.1')) spent.push(clock.ms)
        }
        for (const [from, start] of spent.entries()) {
          const end = spent.at(-1) ?? start
          const allowed = perSecond * (2 + (end - start) / 1_000)
          expect(spent.length - from).toBeLessThanOrEqual(allowed + 1e-6)
        }
      }),
    )
  })
})

describe('the memory of addresses', () => {
  test('is empty again when every bucket is full again', () => {
    const { rate, clock } = setUp(10)
    for (let n = 0; n < 100; n++) rate.spend(`192.0.9.${n}`)
    expect(rate.size).toBe(100)
    clock.ms += 2_000
    rate.spend('192.0.10.1')
    expect(rate.size).toBe(1)
  })

  test('has a bound, and what is forgotten is counted', () => {
    const { rate } = setUp(10, 100)
    for (let n = 0; n < 250; n++) rate.spend(`192.0.${n}.1`)
    expect(rate.size).toBe(100)
    expect(rate.counts).toEqual({ refused: 0, forgotten: 150 })
  })
})
