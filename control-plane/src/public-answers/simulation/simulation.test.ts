import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { beforeAll, describe, expect, test } from 'vitest'
import { shippedCatalog } from '../../catalog/testing.ts'
import { isWithinLimits, tableOf } from './outcome.ts'
import { createRandom } from './random.ts'
import { closingMinutesMax, replay, simulateIncidents } from './simulate-incidents.ts'
import { shortExtent, simulateRules } from './simulate-rules.ts'
import { measurementGaps, regionFaults, serviceOutages, vendorOutage, vendorsOf } from './simulated-world.ts'

let services: readonly CatalogService[]
beforeAll(async () => {
  ;({ services } = await shippedCatalog())
})

test('each rule stays within its documented limits over simulated months', () => {
  const outcomes = simulateRules(services, shortExtent, 1)
  expect(
    outcomes.filter((outcome) => !isWithinLimits(outcome)),
    tableOf(outcomes),
  ).toEqual([])
})

test('a shared incident closes within 12 minutes after the end of its outage', () => {
  expect(simulateIncidents(services, 30, 2).lateClosings, `later than ${closingMinutesMax} minutes`).toBe(0)
})

test('the outage of one vendor opens no shared incident in 100 simulated worlds', () => {
  const minutes = 600
  const vendors = vendorsOf(services)
  const blamed = Array.from({ length: 100 }, (_, seed) => {
    const random = createRandom(1_000 + seed)
    const vendor = vendors[seed % vendors.length] ?? ''
    const { failures } = vendorOutage(services, vendor, 10, random)
    const unrelated = [
      ...serviceOutages(services, minutes, random),
      ...regionFaults(services, minutes, random),
      ...measurementGaps(services, minutes, random),
    ]
    const { opened } = replay(services, [...failures, ...unrelated], minutes)
    return opened.map(({ incident }) => [vendor, incident.factor])
  })
  expect(blamed.flat()).toEqual([])
})

describe('random numbers', () => {
  test('are the same in every run with one seed', () => {
    const [one, other] = [createRandom(7), createRandom(7)]
    const values = Array.from({ length: 100 }, () => one.normal())
    expect(Array.from({ length: 100 }, () => other.normal())).toEqual(values)
  })

  test.each([
    ['normal', 0, 1],
    ['exponential', 3, 3],
    ['poisson with a small mean', 2, Math.SQRT2],
    ['poisson with a large mean', 100, 10],
  ])('of the distribution %s have mean %d and deviation %d', (shape, mean, deviation) => {
    const random = createRandom(3)
    const draw = {
      normal: random.normal,
      exponential: () => random.exponential(3),
      'poisson with a small mean': () => random.poisson(2),
      'poisson with a large mean': () => random.poisson(100),
    }[shape]
    const values = Array.from({ length: 20_000 }, () => draw?.() ?? Number.NaN)
    const found = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - found) ** 2, 0) / values.length
    expect(Math.abs(found - mean)).toBeLessThan(deviation / 20)
    expect(Math.sqrt(variance) / deviation).toBeCloseTo(1, 1)
  })
})
