import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { beforeAll, describe, expect, test } from 'vitest'
import { shippedCatalog } from '../../catalog/testing.ts'
import { isWithinLimits, tableOf } from './outcome.ts'
import { createRandom } from './random.ts'
import { closingMinutesMax, play, simulateIncidents } from './simulate-incidents.ts'
import { shortExtent, simulateRules } from './simulate-rules.ts'
import { ownFailures, ownFaults, unread, vendorOutage, vendorsOf } from './simulated-world.ts'

let services: readonly CatalogService[]
beforeAll(async () => {
  ;({ services } = await shippedCatalog())
})

test('each rule stays within the limits written at it, in simulated months', () => {
  const outcomes = simulateRules(services, shortExtent, 1)
  expect(
    outcomes.filter((outcome) => !isWithinLimits(outcome)),
    tableOf(outcomes),
  ).toEqual([])
})

test('a shared incident is over soon after its outage', () => {
  expect(simulateIncidents(services, 30, 2).lateClosings, `later than ${closingMinutesMax} minutes`).toBe(0)
})

test('one vendor that fails is never taken for something shared, in 100 worlds', () => {
  const minutes = 600
  const vendors = vendorsOf(services)
  const blamed = Array.from({ length: 100 }, (_, seed) => {
    const random = createRandom(1_000 + seed)
    const vendor = vendors[seed % vendors.length] ?? ''
    const { failures } = vendorOutage(services, vendor, 10, random)
    const beside = [
      ...ownFailures(services, minutes, random),
      ...ownFaults(services, minutes, random),
      ...unread(services, minutes, random),
    ]
    const { opened } = play(services, [...failures, ...beside], minutes)
    return opened.map(({ incident }) => [vendor, incident.factor])
  })
  expect(blamed.flat()).toEqual([])
})

describe('the chance of simulations', () => {
  test('is the same in every run of a seed', () => {
    const [one, other] = [createRandom(7), createRandom(7)]
    const values = Array.from({ length: 100 }, () => one.normal())
    expect(Array.from({ length: 100 }, () => other.normal())).toEqual(values)
  })

  test.each([
    ['normal', 0, 1],
    ['exponential', 3, 3],
    ['poisson of few', 2, Math.SQRT2],
    ['poisson of many', 100, 10],
  ])('of the shape %s has mean %d and deviation %d', (shape, mean, deviation) => {
    const random = createRandom(3)
    const draw = {
      normal: random.normal,
      exponential: () => random.exponential(3),
      'poisson of few': () => random.poisson(2),
      'poisson of many': () => random.poisson(100),
    }[shape]
    const values = Array.from({ length: 20_000 }, () => draw?.() ?? Number.NaN)
    const found = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - found) ** 2, 0) / values.length
    expect(Math.abs(found - mean)).toBeLessThan(deviation / 20)
    expect(Math.sqrt(variance) / deviation).toBeCloseTo(1, 1)
  })
})
