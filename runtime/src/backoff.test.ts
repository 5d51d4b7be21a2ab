import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { backoffMs, fullJitter, halfJitter } from './backoff.ts'

const backoff = { firstMs: 100, maxMs: 30_000 }

test('doubles with every failure, up to the maximum', () => {
  expect([0, 1, 2, 3, 9, 10, 11].map((failures) => backoffMs(backoff, failures))).toEqual([
    100, 100, 200, 400, 25_600, 30_000, 30_000,
  ])
})

test('stays finite and never falls, however many failures there are', () => {
  forAll([fc.nat()], (failures) => {
    const waitMs = backoffMs({ firstMs: 1, maxMs: Number.MAX_VALUE }, failures)
    expect(Number.isFinite(waitMs)).toBe(true)
    expect(backoffMs({ firstMs: 1, maxMs: Number.MAX_VALUE }, failures + 1)).toBeGreaterThanOrEqual(waitMs)
  })
})

test('full jitter spreads over the whole wait, half jitter over its second half', () => {
  expect([0, 0.5, 1].map((random) => fullJitter(1_000, random))).toEqual([0, 500, 1_000])
  expect([0, 0.5, 1].map((random) => halfJitter(1_000, random))).toEqual([500, 750, 1_000])
})
