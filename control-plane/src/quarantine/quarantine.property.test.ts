import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading'
import { readingAt } from '../status/testing.ts'
import { isUnlikely } from './quarantine.ts'
import { surveyRegions } from './survey.ts'
import { surveyMesh, watchHosts } from './testing.ts'
import type { Mesh } from './testing.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const t0 = 1_700_000_000_000

const stepArbitrary = fc.record({
  host: fc.nat(11),
  region: fc.constantFrom(...regions),
  verdict: fc.constantFrom<Verdict>('up', 'down', 'blocked', 'unmeasured'),
  kind: fc.constantFrom('scheduled' as const, 'confirmation' as const),
  aheadMs: fc.integer({ min: 0, max: 8_000 }),
})
const stepsArbitrary = fc.array(stepArbitrary, { minLength: 30, maxLength: 150 })

describe('whatever was measured, in whatever order', () => {
  const play = (
    steps: readonly (typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never)[],
  ) => {
    const watch = watchHosts(60)
    let nowMs = t0
    for (const { host, region, verdict, kind, aheadMs } of steps) {
      nowMs += aheadMs
      watch.take(`host-${host}`, readingAt(region, verdict, nowMs, { kind }))
    }
    return { watch, nowMs }
  }

  test('the order of the hosts never matters', () => {
    fc.assert(
      fc.property(stepsArbitrary, fc.infiniteStream(fc.nat()), (steps, order) => {
        const { watch, nowMs } = play(steps)
        const shuffled = watch
          .hosts()
          .map((host) => ({ host, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ host }) => host)
        expect(surveyRegions(shuffled, nowMs)).toEqual(watch.survey(nowMs))
      }),
    )
  })

  test('what is said of a region never depends on hosts that it did not measure', () => {
    fc.assert(
      fc.property(stepsArbitrary, (steps) => {
        const { watch, nowMs } = play(steps)
        for (const region of regions) {
          const measured = watch.hosts().filter(({ host }) => watch.heldOf(host).has(region))
          expect(surveyRegions(measured, nowMs).get(region)).toEqual(
            watch.survey(nowMs).get(region),
          )
        }
      }),
    )
  })

  test('a host fails in one region at most, and only where that one says so', () => {
    fc.assert(
      fc.property(stepsArbitrary, (steps) => {
        const { watch, nowMs } = play(steps)
        for (const host of watch.hosts()) {
          const surveys = [...surveyRegions([host], nowMs)]
          const failing = surveys.filter(([, survey]) => survey.failing > 0)
          expect(failing.length).toBeLessThanOrEqual(1)
          for (const [region] of failing) {
            expect(watch.heldOf(host.host).get(region)?.says).toBe('fails')
          }
        }
      }),
    )
  })
})

const intervalSeconds = 60
const intervalMs = intervalSeconds * 1_000
const slot = fc.integer({ min: 0, max: intervalMs - 1 })
const meshArbitrary = fc
  .record({
    regions: fc.integer({ min: 2, max: 4 }).map((count) => regions.slice(0, count)),
    hosts: fc.integer({ min: 8, max: 24 }),
    asks: fc.boolean(),
  })
  .chain(({ regions, hosts, asks }) =>
    fc.record({
      regions: fc.constant(regions),
      asks: fc.constant(asks),
      phases: fc.array(fc.array(slot, { minLength: regions.length, maxLength: regions.length }), {
        minLength: hosts,
        maxLength: hosts,
      }),
      /** The hosts that fail, as the first ones of all. */
      failing: fc.integer({ min: Math.floor(hosts * 0.3) + 1, max: hosts }),
    }),
  )
const beginsMs = 2 * intervalMs

describe('a mesh that measures what is there', () => {
  test('an outage everywhere quarantines nobody, when it begins, lasts or ends', () => {
    fc.assert(
      fc.property(
        meshArbitrary,
        fc.integer({ min: 2 * intervalMs, max: 5 * intervalMs }),
        ({ failing, ...mesh }, lastsMs) => {
          const answers: Mesh['answers'] = (host, _, atMs) =>
            host >= failing || atMs < beginsMs || atMs >= beginsMs + lastsMs
          surveyMesh(
            { ...mesh, intervalSeconds, answers },
            beginsMs + lastsMs + 2 * intervalMs,
            (surveys) => {
              expect([...surveys].filter(([, survey]) => isUnlikely(survey))).toEqual([])
            },
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  test("a region's own failure is found within two intervals, and in that region only", () => {
    fc.assert(
      fc.property(meshArbitrary, ({ failing, ...mesh }) => {
        const broken = mesh.regions[0]
        const answers: Mesh['answers'] = (host, region, atMs) =>
          host >= failing || region !== broken || atMs < beginsMs
        // two slots, and the attempts of the second
        const foundByMs = beginsMs + 2 * intervalMs + 21_000
        surveyMesh(
          { ...mesh, intervalSeconds, answers },
          foundByMs + 2 * intervalMs,
          (surveys, nowMs) => {
            const unlikely = [...surveys].flatMap(([region, survey]) =>
              isUnlikely(survey) ? [region] : [],
            )
            expect(unlikely.filter((region) => region !== broken)).toEqual([])
            if (nowMs > foundByMs) expect(unlikely).toEqual([broken])
          },
        )
      }),
      { numRuns: 60 },
    )
  })
})
