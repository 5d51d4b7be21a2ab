import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { beforeAll, expect, test } from 'vitest'
import { shippedCatalog } from '../../catalog/testing.ts'
import { reliabilityOf, reliabilityTable } from './reliability.ts'
import { simulateIncidents } from './simulate-incidents.ts'

/** Simulates years of the shipped catalog with seeds that were not used for tuning. */

let services: readonly CatalogService[]
beforeAll(async () => {
  ;({ services } = await shippedCatalog())
})

const bounded = { timeout: 900_000 }
const seeds = [11, 12, 13, 14, 15, 16]
/** The real frequency of outages of shared infrastructure. Most services on it may keep working. */
const usual = { sharedEveryDays: 20, shareMin: 0.05 }

test('the confidence of shared incidents equals the share of correct ones', bounded, () => {
  const years = seeds.map((seed) => simulateIncidents(services, 365, seed, usual))
  const predictions = years.flatMap((year) => year.predictions)
  process.stdout.write(`${reliabilityTable(predictions)}\n`)
  const falseAlarms = years.reduce((sum, year) => sum + year.falseAlarms, 0)
  expect(falseAlarms, 'at most one a year').toBeLessThanOrEqual(seeds.length)
  expect(predictions.length).toBeGreaterThan(80)
  for (const { from, count, meanConfidence, correctShare, tolerance } of reliabilityOf(predictions)) {
    if (count === 0) continue
    expect(Math.abs(correctShare - meanConfidence), `from ${from}`).toBeLessThanOrEqual(tolerance + 0.03)
  }
})
