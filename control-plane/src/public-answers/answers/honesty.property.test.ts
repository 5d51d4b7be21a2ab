import fc from 'fast-check'
import {
  regionsReadMax,
  ServiceStatusAnswer,
  StackAnswer,
  CatalogAnswer,
  RegionalReadingsAnswer,
  ReportVolumeAnswer,
  type Evidence,
} from '@probe-mesh/contracts/outage/answers'
import { InternetAnswer, WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { RegionReadings, ProbeReading } from '../region-reading.ts'
import { codes } from '../testing.ts'
import { getRegionalReadings, getReportVolume, isServiceDown } from './answer-verbs.ts'
import { getStack } from './get-stack.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listServices } from './list-services.ts'
import { answersOf, type TestAnswers } from './testing.ts'

/** The honesty rules of answers, for any readings. */

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const staleAfterMs = 180_000

const reading: fc.Arbitrary<ProbeReading> = fc.record({
  verdict: fc.constantFrom('up', 'down', 'blocked'),
  reason: fc.option(fc.string({ unit: 'grapheme' })),
  latencyMs: fc.option(fc.double({ min: 0, max: 60_000, noNaN: true })),
  // around the end of freshness, long past, and slightly in the future
  measuredAt: fc
    .oneof(fc.integer({ min: -10_000, max: 400_000 }), fc.constantFrom(0, staleAfterMs, staleAfterMs + 1))
    .map((ageMs) => t0 - ageMs),
})

const anyRegions: fc.Arbitrary<RegionReadings[]> = fc
  .uniqueArray(
    fc.record({
      region: fc.constantFrom(...codes, 'zrh', 'yyz'),
      readings: fc.array(reading, { maxLength: 2 }),
      quarantined: fc.oneof(fc.constant(false), fc.boolean()),
    }),
    { maxLength: 12, selector: ({ region }) => region },
  )
  .map((regions) => regions.toSorted((a, b) => (a.region < b.region ? -1 : 1)))

const isFresh = ({ measuredAt }: ProbeReading): boolean => t0 - measuredAt <= staleAfterMs

/** The readings that count: fresh ones of a region that is not quarantined. */
const countedReadings = ({ readings, quarantined }: RegionReadings): ProbeReading[] =>
  quarantined ? [] : readings.filter(isFresh)

const contextOf = (regions: readonly RegionReadings[]): TestAnswers => {
  const answers = answersOf({ now: () => t0, staleAfterMs })
  answers.observed.setRegions('github', regions)
  return answers
}

const statusOf = (regions: readonly RegionReadings[], region?: string) =>
  ServiceStatusAnswer.parse(
    isServiceDown(contextOf(regions), {
      params: { slug: 'github' },
      query: region === undefined ? {} : { region },
    }),
  )

const hasReading = (verdict: ProbeReading['verdict'], regions: readonly RegionReadings[]): boolean =>
  regions.flatMap(countedReadings).some((one) => one.verdict === verdict)

describe('for any readings', () => {
  test('a status needs a fresh reading with that verdict', () => {
    forAll([anyRegions], { numRuns: 500 }, (regions) => {
      const { status } = statusOf(regions)
      if (status === 'down' || status === 'down_in_some_regions') {
        expect(hasReading('down', regions)).toBe(true)
      }
      if (status === 'up') expect(hasReading('up', regions)).toBe(true)
      if (status === 'blocked') expect(hasReading('blocked', regions)).toBe(true)
    })
  })

  test('blocked is never down: without a down reading no status is down', () => {
    const refused = anyRegions.map((regions) =>
      regions.map((region) => ({
        ...region,
        readings: region.readings.map((one) =>
          one.verdict === 'down' ? { ...one, verdict: 'blocked' as const } : one,
        ),
      })),
    )
    forAll([refused], { numRuns: 300 }, (regions) => {
      expect(['up', 'blocked', 'no_data']).toContain(statusOf(regions).status)
    })
  })

  test('the status is no_data exactly if there is no fresh reading', () => {
    forAll([anyRegions], { numRuns: 500 }, (regions) => {
      const { status, regionsRead } = statusOf(regions)
      // the ten freshest regions are read: they include a fresh reading if there is one
      expect(status === 'no_data').toBe(regionsRead.length === 0)
      if (regions.length <= regionsReadMax) {
        expect(status === 'no_data').toBe(regions.flatMap(countedReadings).length === 0)
      }
    })
  })

  test('an answer lists exactly the regions with a fresh reading as read', () => {
    forAll([anyRegions], { numRuns: 500 }, (regions) => {
      const fresh = regions.filter((region) => countedReadings(region).length > 0)
      const { regionsRead, freshness, measuredAt } = statusOf(regions)
      const codesOfFresh = fresh.map(({ region }) => region)
      if (regions.length <= regionsReadMax) expect(regionsRead).toEqual(codesOfFresh)
      else expect(codesOfFresh).toEqual(expect.arrayContaining(regionsRead))
      expect(freshness.verdict === 'fresh').toBe(regionsRead.length > 0)
      expect(freshness.verdict === 'no_data').toBe(measuredAt === null)
    })
  })

  test('an answer about one region depends only on its readings', () => {
    forAll([anyRegions, fc.constantFrom(...codes, 'xyz')], { numRuns: 300 }, (regions, requested) => {
      const own = regions.filter(({ region }) => region === requested)
      expect(statusOf(regions, requested)).toMatchObject({
        status: statusOf(own).status,
        regionsRead: statusOf(own).regionsRead,
      })
    })
  })

  test('every answer matches its schema and has evidence and a summary of one line', () => {
    forAll([anyRegions], { numRuns: 300 }, (regions) => {
      const answers = contextOf(regions)
      const params = { slug: 'github' }
      const stack = getStack(answers, { params: { idOrSlug: 'web-shop' } })
      if (isRefusal(stack)) throw new Error(stack.message)
      const all = [
        ServiceStatusAnswer.parse(isServiceDown(answers, { params, query: {} })),
        RegionalReadingsAnswer.parse(getRegionalReadings(answers, { params })),
        ReportVolumeAnswer.parse(getReportVolume(answers, { params })),
        StackAnswer.parse(stack),
        CatalogAnswer.parse(listServices(answers)),
        WeatherAnswer.parse(internetWeather(answers)),
        InternetAnswer.parse(isTheInternetDown(answers)),
      ] satisfies (Evidence & { summary: string; url: string })[]
      for (const { summary, url, regionsRead } of all) {
        expect(summary).toMatch(/^\P{Cc}{10,}$/u)
        expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/[a-z]/)
        expect(regionsRead.length).toBeLessThanOrEqual(regionsReadMax)
      }
    })
  })
})

test('a query outside the catalog is not_covered, without a service and evidence', () => {
  const answers = answersOf()
  const known = new Set(answers.catalog.names.names.values())
  const queries = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ maxLength: 12 }),
    fc.domain(),
    fc.webUrl(),
  )
  forAll([queries], { numRuns: 300 }, (slug) => {
    const answer = ServiceStatusAnswer.parse(isServiceDown(answers, { params: { slug }, query: {} }))
    if (answer.service !== null) return
    expect(answer).toMatchObject({
      status: 'not_covered',
      regions: [],
      regionsRead: [],
      measuredAt: null,
    })
    expect([...known]).toEqual(expect.arrayContaining(answer.didYouMean))
  })
})
