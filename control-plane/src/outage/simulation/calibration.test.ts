import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { beforeAll, expect, test } from 'vitest'
import { shippedCatalog } from '../../catalog/testing.ts'
import { reliabilityOf, reliabilityTable } from './reliability.ts'
import { simulateIncidents } from './simulate-incidents.ts'

/** Years of the shipped catalog that the rules were not set on. */

let services: readonly CatalogService[]
beforeAll(async () => {
  ;({ services } = await shippedCatalog())
})

const bounded = { timeout: 900_000 }
const seeds = [11, 12, 13, 14, 15, 16]
/** As often as there are outages that many services feel; most of what stands on it may work. */
const usual = { sharedEveryDays: 20, shareMin: 0.05 }

test('what is said with a confidence is so as often as that', bounded, () => {
  const years = seeds.map((seed) => simulateIncidents(services, 365, seed, usual))
  const said = years.flatMap((year) => year.said)
  process.stdout.write(`${reliabilityTable(said)}\n`)
  const falseAlarms = years.reduce((sum, year) => sum + year.falseAlarms, 0)
  expect(falseAlarms, 'at most one a year').toBeLessThanOrEqual(seeds.length)
  expect(said.length).toBeGreaterThan(80)
  for (const { from, said: times, confidence, isTrue, slack } of reliabilityOf(said)) {
    if (times === 0) continue
    expect(Math.abs(isTrue - confidence), `from ${from}`).toBeLessThanOrEqual(slack + 0.03)
  }
})
