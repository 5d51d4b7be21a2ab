import type { TestAnswers } from '@probe-mesh/control-plane/outage/answers/testing'
import type { RegionReadings } from '@probe-mesh/control-plane/outage/region-reading'

/** The catalog is measured from every region once a minute. */
const intervalMs = 60_000
const stepMs = 50

/** Gives every region of every service a reading, and replaces each once a minute, evenly spread. */
export const changeReadings = ({ catalog, observed, regions }: TestAnswers): void => {
  const slugs = catalog.catalog.services.map(({ slug }) => slug)
  const held = new Map<string, RegionReadings[]>()
  for (const [index, slug] of slugs.entries()) {
    held.set(
      slug,
      regions.map((region) => read(region, index)),
    )
    observed.setRegions(slug, held.get(slug) ?? [])
  }
  const readingsPerStep = (slugs.length * regions.length * stepMs) / intervalMs
  let due = 0
  let next = 0
  setInterval(() => {
    for (due += readingsPerStep; due >= 1; due--) {
      const index = next % slugs.length
      const slug = slugs[index] ?? ''
      const at = Math.floor(next / slugs.length) % regions.length
      const changed = (held.get(slug) ?? []).with(at, read(regions[at] ?? '', next))
      held.set(slug, changed)
      observed.setRegions(slug, changed)
      next += 1
    }
  }, stepMs)
}

/** One in fifty fails. */
const read = (region: string, seed: number): RegionReadings => {
  const isDown = seed % 50 === 49
  const reading = {
    verdict: isDown ? 'down' : 'up',
    reason: isDown ? 'expected status 200-299, got 503' : null,
    latencyMs: 40 + (seed % 400) + 0.25,
    measuredAt: Date.now(),
  } as const
  return { region, readings: [reading], quarantined: false }
}
