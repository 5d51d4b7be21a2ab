import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { createTargetRate } from './target-rate.ts'

const setUp = (perSecond: number, addressesMax = 1_000) => {
  const clock = { ms: 5_000 }
  const rate = createTargetRate({
    perSecond: () => perSecond,
    nowMs: () => clock.ms,
    addressesMax,
  })
  const spendMany = (address: string, times: number, account = 'a'): number =>
    Array.from({ length: times }, () => rate.spend(address, account)).filter(Boolean).length
  return { rate, clock, spendMany }
}

describe('one address', () => {
  test('gets a burst of two seconds, and then its rate', () => {
    const { rate, clock, spendMany } = setUp(10)
    expect(spendMany('192.0.9.1', 50)).toBe(20)
    clock.ms += 99
    expect(rate.spend('192.0.9.1', 'a')).toBe(false)
    clock.ms += 1
    expect(rate.spend('192.0.9.1', 'a')).toBe(true)
    expect(rate.spend('192.0.9.1', 'a')).toBe(false)
    clock.ms += 60_000
    expect(spendMany('192.0.9.1', 50)).toBe(20)
    expect(rate.counts.refused).toBe(30 + 2 + 30)
  })

  test('does not affect another address', () => {
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

  test('gets at least one connection, however low its rate is', () => {
    const { rate, clock } = setUp(0.1)
    expect(rate.spend('192.0.9.1', 'a')).toBe(true)
    clock.ms += 9_999
    expect(rate.spend('192.0.9.1', 'a')).toBe(false)
    clock.ms += 1
    expect(rate.spend('192.0.9.1', 'a')).toBe(true)
  })

  test('never exceeds rate and burst in any span of time', () => {
    const steps = fc.array(fc.nat(400), { maxLength: 300 })
    forAll([steps, fc.constantFrom(1, 3, 10, 100)], (pauses, perSecond) => {
      const { rate, clock } = setUp(perSecond)
      const spent: number[] = []
      for (const pause of pauses) {
        clock.ms += pause
        if (rate.spend('192.0.9.1', 'a')) spent.push(clock.ms)
      }
      for (const [from, start] of spent.entries()) {
        const end = spent.at(-1) ?? start
        const allowed = perSecond * (2 + (end - start) / 1_000)
        expect(spent.length - from).toBeLessThanOrEqual(allowed + 1e-6)
      }
    })
  })
})

describe('the addresses in memory', () => {
  test('are none when every bucket is full again', () => {
    const { rate, clock } = setUp(10)
    for (let n = 0; n < 100; n++) rate.spend(`192.0.9.${n}`, 'a')
    expect(rate.size).toBe(100)
    clock.ms += 2_000
    rate.spend('192.0.10.1', 'a')
    expect(rate.size).toBe(1)
  })

  test('are limited, and evictions are counted', () => {
    const { rate } = setUp(10, 100)
    for (let n = 0; n < 250; n++) rate.spend(`192.0.${n}.1`, 'a')
    expect(rate.size).toBe(100)
    expect(rate.counts).toEqual({ refused: 0, forgotten: 150 })
  })
})

describe('accounts at one address', () => {
  const address = '192.0.9.1'

  test('two busy ones leave a third its share at any moment', () => {
    const { rate, clock, spendMany } = setUp(100)
    for (let step = 0; step < 600; step++) {
      clock.ms += 100
      spendMany(address, 100, 'hog')
      spendMany(address, 100, 'another')
      // 12 a minute: the guaranteed share, whatever the other accounts use
      if (step % 50 === 0) expect(rate.spend(address, 'small')).toBe(true)
    }
  })

  test('an immediate retry is within the share', () => {
    const { clock, spendMany } = setUp(100)
    spendMany(address, 1_000, 'hog')
    clock.ms += 1
    expect(spendMany(address, 10, 'small')).toBe(4)
    expect(spendMany(address, 1_000, 'hog')).toBeLessThanOrEqual(4)
  })

  test('that need more than the rate get the same', () => {
    const { clock, spendMany } = setUp(90)
    const got = { a: 0, b: 0, c: 0 }
    for (let step = 0; step < 10_000; step++) {
      clock.ms += 10
      for (const account of ['a', 'b', 'c'] as const) got[account] += spendMany(address, 3, account)
    }
    const total = got.a + got.b + got.c
    expect(total).toBeLessThanOrEqual(90 * 102 + 3 * 4)
    expect(total).toBeGreaterThan(90 * 95)
    for (const mine of Object.values(got)) expect(mine).toBeGreaterThan(0.25 * total)
  })

  test('many, each at its share, do not exceed the rate and their bursts', () => {
    const { clock, spendMany } = setUp(100)
    const accounts = Array.from({ length: 400 }, (_, n) => `account-${n}`)
    let spent = 0
    for (let second = 0; second < 60; second++) {
      clock.ms += 1_000
      for (const account of accounts) spent += spendMany(address, 2, account)
    }
    expect(spent).toBeLessThanOrEqual(100 * 62 + 400 * 4)
  })

  test('a pause does not restore their bursts early', () => {
    const { clock, spendMany } = setUp(100)
    const accounts = Array.from({ length: 500 }, (_, n) => `account-${n}`)
    let spent = 0
    for (let round = 0; round < 20; round++) {
      clock.ms += 6_000
      for (const account of accounts) spent += spendMany(address, 4, account)
    }
    // early accounts spend before the others count as active
    expect(spent).toBeLessThanOrEqual(1.5 * 100 * 120)
  })

  test('the share falls with the number of agents in the region', () => {
    const { rate, clock, spendMany } = setUp(1)
    spendMany(address, 100, 'hog')
    expect(spendMany(address, 10, 'small')).toBe(2)
    clock.ms += 1_000
    spendMany(address, 100, 'hog')
    expect(rate.spend(address, 'small')).toBe(false)
    clock.ms += 1_000
    spendMany(address, 100, 'hog')
    expect(rate.spend(address, 'small')).toBe(true)
  })

  test('are limited, and evictions are counted', () => {
    const clock = { ms: 0 }
    const rate = createTargetRate({ perSecond: () => 1, nowMs: () => clock.ms, accountsMax: 100 })
    for (let n = 0; n < 50; n++) {
      for (let account = 0; account < 10; account++) rate.spend(`192.0.${n}.1`, `account-${account}`)
    }
    expect(rate.size).toBeLessThanOrEqual(11)
    expect(rate.counts.forgotten).toBeGreaterThanOrEqual(39)
    clock.ms += 60_000
    rate.spend('192.0.100.1', 'a')
    expect(rate.size).toBe(1)
  })
})
