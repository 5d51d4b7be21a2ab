import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Factor } from '@probe-mesh/contracts/outage/answers'
import type { OpenIncident } from '../../public-answers/open-incident.ts'
import { sharedCauseOf, type AccountEvidence, type FailingCheck } from './shared-cause.ts'

const t0 = Date.parse('2026-11-20T09:47:00.000Z')
const minuteMs = 60_000
const cdn = (name: string): Factor => ({ kind: 'cdn', name })

/** A check before it fails or not: its CDN, if any. */
type Drawn = { cdn: string | null; sinceMs: number | null }

const evidenceOf = (drawn: readonly Drawn[], incidents: readonly OpenIncident[] = []): AccountEvidence => {
  const failing: FailingCheck[] = []
  const withFactor = new Map<string, number>()
  let count = 0
  for (const [index, { cdn: name, sinceMs }] of drawn.entries()) {
    const factors = name === null ? [] : [cdn(name)]
    if (sinceMs !== null) failing.push({ id: `check ${index}`, sinceMs, regions: ['fra'], factors })
    else {
      count += 1
      if (name !== null) withFactor.set(`cdn:${name}`, (withFactor.get(`cdn:${name}`) ?? 0) + 1)
    }
  }
  return { failing, healthy: { count, withFactor }, incidents }
}
const namedIn = (evidence: AccountEvidence): (string | null)[] =>
  evidence.failing.map(({ id }) => sharedCauseOf(id, evidence)?.factor.name ?? null)

const incident = (name: string, more: Partial<OpenIncident> = {}): OpenIncident => ({
  factor: cdn(name),
  sinceMs: t0,
  members: ['a', 'b', 'c'].map((slug) => ({ slug, name: slug, sinceMs: t0, failedAtMs: t0, failing: true })),
  peak: 3,
  measuredCount: 4,
  regions: ['fra', 'iad'],
  confidence: 0.9,
  quietSinceMs: null,
  ...more,
})

const soon = fc.integer({ min: 0, max: 20 * minuteMs }).map((ms) => t0 + ms)
const others = fc.constantFrom('cloudflare', 'akamai', 'bunny', null)
const runs = { numRuns: 500 }

describe('among the checks of an account', () => {
  test('a planted cause is found for its checks, whatever else fails and is healthy', () => {
    const planted = fc
      .record({
        hit: fc.array(soon, { minLength: 3, maxLength: 15 }),
        otherFailures: fc.array(fc.record({ cdn: others, sinceMs: soon }), { maxLength: 10 }),
        healthy: fc.array(fc.record({ cdn: others, sinceMs: fc.constant(null) }), {
          minLength: 1,
          maxLength: 30,
        }),
      })
      .map(({ hit, otherFailures, healthy }) => ({
        // at most half as many others, so that three fifths are behind the planted one
        drawn: [
          ...hit.map((sinceMs) => ({ cdn: 'fastly', sinceMs })),
          ...otherFailures.slice(0, Math.floor(hit.length / 2)),
          ...healthy,
        ] as Drawn[],
        count: hit.length,
      }))
    forAll([planted], runs, ({ drawn, count }) => {
      const evidence = evidenceOf(drawn)
      expect(namedIn(evidence).slice(0, count)).toEqual(Array.from({ length: count }, () => 'fastly'))
      const [first] = evidence.failing
      const cause = sharedCauseOf(first?.id ?? '', evidence)
      expect(cause?.memberIds).toHaveLength(count)
      expect(cause?.sinceMs).toBe(Math.min(...evidence.failing.slice(0, count).map(({ sinceMs }) => sinceMs)))
    })
  })

  test('failures that are drawn without regard to the CDN name none, where enough checks are healthy', () => {
    const world = fc.record({
      // each CDN in equal numbers; the same share of each fails
      perCdn: fc.integer({ min: 4, max: 12 }),
      failingOfEach: fc.integer({ min: 1, max: 3 }),
      names: fc.subarray(['fastly', 'cloudflare', 'akamai', 'bunny'], { minLength: 1 }),
      at: fc.array(soon, { minLength: 12, maxLength: 12 }),
    })
    forAll([world], runs, ({ perCdn, failingOfEach, names, at }) => {
      const drawn = names.flatMap((name, which) =>
        Array.from({ length: perCdn }, (_, index) => ({
          cdn: name,
          sinceMs: index < failingOfEach ? (at[which * 3 + index] ?? t0) : null,
        })),
      )
      expect(namedIn(evidenceOf(drawn)).every((name) => name === null)).toBe(true)
    })
  })

  test('nothing is named for fewer than three checks, or failures more than half an hour apart', () => {
    forAll(
      [fc.array(fc.record({ cdn: others, sinceMs: soon }), { maxLength: 8 }), fc.integer({ min: 1, max: 8 })],
      runs,
      (rest, apart) => {
        const few = rest.filter(
          ({ cdn: name }, index) => rest.slice(0, index).filter((one) => one.cdn === name).length < 2,
        )
        expect(namedIn(evidenceOf(few)).every((name) => name === null)).toBe(true)
        const spread = Array.from({ length: 8 }, (_, index) => ({
          cdn: 'fastly',
          sinceMs: t0 + index * (30 * minuteMs + apart),
        }))
        expect(namedIn(evidenceOf(spread)).every((name) => name === null)).toBe(true)
      },
    )
  })

  test('without a healthy check a cause is named only for all failing checks together', () => {
    const hit = Array.from({ length: 5 }, () => ({ cdn: 'fastly', sinceMs: t0 }))
    expect(namedIn(evidenceOf(hit))).toEqual(hit.map(() => 'fastly'))
    expect(
      namedIn(evidenceOf([...hit, { cdn: null, sinceMs: t0 }, { cdn: null, sinceMs: t0 }])),
    ).not.toContain('fastly')
  })

  test('the order of the checks does not matter', () => {
    const checks = fc.array(fc.record({ cdn: others, sinceMs: fc.option(soon) }), { maxLength: 20 })
    forAll([checks], runs, (drawn) => {
      const evidence = evidenceOf(drawn)
      const turned = { ...evidence, failing: evidence.failing.toReversed() }
      for (const { id } of evidence.failing) {
        expect(sharedCauseOf(id, turned)).toEqual(sharedCauseOf(id, evidence))
      }
    })
  })
})

describe('a cause that the catalog shows', () => {
  const one = [{ cdn: 'fastly', sinceMs: t0 }]

  test('is named for a single check behind it, and for no other', () => {
    const evidence = evidenceOf(
      [...one, { cdn: 'bunny', sinceMs: t0 }, { cdn: null, sinceMs: t0 }],
      [incident('fastly')],
    )
    expect(namedIn(evidence)).toEqual(['fastly', null, null])
    expect(sharedCauseOf('check 0', evidence)).toMatchObject({
      ownChecks: false,
      catalog: { failing: 3, measuredCount: 4 },
    })
  })

  test.each([
    ['in one region', { region: 'fra', regions: ['fra'] }],
    ['in fewer than two regions', { regions: ['fra'] }],
    ['no longer', { quietSinceMs: t0 }],
  ])('is not named while it fails %s', (_, more) => {
    expect(namedIn(evidenceOf(one, [incident('fastly', more)]))).toEqual([null])
  })
})
