import type { Evidence, RegionalReading } from '@probe-mesh/contracts/outage/answers'
import type { AnswerOutput, AnswerRouteName } from '@probe-mesh/contracts/outage/answer-routes'
import { expect } from 'vitest'
import type { AnswerClient, Question } from './answer-client.ts'
import { fleetRegions } from './fleet.ts'
import { fleetStaleAfterMs } from './interval.ts'
import type { OutageExpected, ReportsExpected, SeenBy, ServiceExpected } from './scenario.ts'
import { nameOf, type Listed } from './services.ts'

/** The verdict on reports if a scenario has none. */
export type ReportsUsual = ReportsExpected['verdict']

/** The answer to a query that must not be refused. */
export const answerTo = async <N extends AnswerRouteName>(
  client: AnswerClient,
  name: N,
  question: Question = {},
): Promise<AnswerOutput<N>> => {
  const result = await client.query(name, question)
  if (result.ok) return result.answer
  throw new Error(`${name} was refused: ${result.problem.code} ${result.problem.detail}`)
}

/** Compares the four answers about one service with the expected ones. @throws the first difference */
export const expectService = async (
  client: AnswerClient,
  listed: Listed,
  expected: ServiceExpected,
  usual: ReportsUsual,
): Promise<void> => {
  const question = { params: { slug: listed.slug } }
  const status = await answerTo(client, 'isServiceDown', question)
  expectStatus(status, listed, expected)
  expectRegions(status.regions, expected)
  expect(status.summary).toMatch(sentences[expected.status](nameOf(listed)))

  const readings = await answerTo(client, 'getRegionalReadings', question)
  expectStatus(readings, listed, expected)
  expectRegions(readings.readings, expected)

  const volume = await answerTo(client, 'getReportVolume', question)
  expectStatus(volume, listed, expected)
  expectRegions(volume.regions, expected)
  const { regions, ...reports } = {
    last15Minutes: 0,
    last60Minutes: 0,
    verdict: usual,
    regions: {},
    ...expected.reports,
  }
  expect(volume.reports).toMatchObject(reports)
  const byRegion = volume.reports.regions.map((each) => [each.region, each.last60Minutes])
  expect(Object.fromEntries(byRegion)).toEqual(regions)

  const { outages = [] } = expected
  const recent = await client.query('listRecentIncidents', question)
  if (outages === 'refused') {
    expect(recent).toMatchObject({ ok: false, problem: { code: 'SV-9002', status: 503 } })
    return
  }
  if (!recent.ok) throw new Error(`the history was refused: ${recent.problem.detail}`)
  expectStatus(recent.answer, listed, expected)
  expectRegions(recent.answer.regions, expected)
  if (outages !== 'any') expectOutages(recent.answer.incidents, outages)
}

/** Checks the common part of all answers about a service. */
const expectStatus = (
  answer: Evidence & { service: unknown; status: string; didYouMean: unknown; url: string },
  listed: Listed,
  { status, seen, undecided }: ServiceExpected,
): void => {
  const { slug } = listed
  expect(answer, slug).toMatchObject({
    service: { slug, name: nameOf(listed) },
    status,
    didYouMean: [],
    url: `https://probe-mesh.example.com/services/${slug}`,
  })
  expectEvidence(answer, seen, undecided)
}

/** Checks the regions read, their times and freshness, which every answer contains. */
const expectEvidence = (answer: Evidence, seen: SeenBy, undecided?: true): void => {
  const fresh = fleetRegions.filter((region) => undecided === true || isFresh(seen[region])).toSorted()
  const isHeld = fleetRegions.some((region) => seen[region] !== 'unknown')
  const verdict = fresh.length > 0 ? 'fresh' : isHeld ? 'stale' : 'no_data'
  expect(answer).toMatchObject({
    regionsRead: fresh,
    freshness: { verdict, staleAfterSeconds: fleetStaleAfterMs / 1000 },
    vantage: 'regional',
  })
  const { measuredAt, freshness } = answer
  expect(measuredAt === null).toBe(verdict === 'no_data')
  expect(freshness.ageSeconds === null).toBe(verdict === 'no_data')
  if (verdict === 'fresh')
    expect(freshness.ageSeconds).toBeLessThanOrEqual(Math.ceil(fleetStaleAfterMs / 1000))
}

const isFresh = (seen: string): boolean => ['up', 'down', 'blocked'].includes(seen)

const expectRegions = (regions: readonly RegionalReading[], expected: ServiceExpected): void => {
  const seen = fleetRegions.toSorted().map((region) => [region, expected.seen[region]])
  expect(regions.map(({ region, status }) => [region, status])).toEqual(seen)
  for (const { status, fresh, reason, measuredAt } of regions) {
    expect(fresh).toBe(isFresh(status))
    // a quarantined region shows its last measurement
    if (status !== 'unknown') expect(measuredAt).not.toBeNull()
    expect(reason === null).toBe(status === 'up')
    const hasReason = status !== 'up' && status !== 'stale'
    if (hasReason && expected.reason !== undefined) expect(reason).toContain(expected.reason)
  }
}

const expectOutages = (
  incidents: readonly {
    regions: readonly string[]
    ongoing: boolean
    startedAt: string
    endedAt: string | null
  }[],
  outages: readonly OutageExpected[],
): void => {
  const result = incidents.map(({ regions, ongoing }) => ({ regions, ongoing }))
  expect(result).toEqual(outages.map(({ regions, ongoing }) => ({ regions, ongoing })))
  for (const { ongoing, startedAt, endedAt } of incidents) {
    expect(endedAt === null).toBe(ongoing)
    if (endedAt !== null) expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
  }
}

/** The beginning of the sentence of each status. */
const sentences: Record<ServiceExpected['status'], (name: string) => RegExp> = {
  // the services of scenarios have no documented pages, so their probes just answer
  up: (name) =>
    new RegExp(
      `^(No sign of an outage: )?\\S+( and \\S+)? answers? in (?!0).* That does not show that all of ${name} works\\.$`,
    ),
  down: (name) => new RegExp(`^${name} is down in .+: .+`),
  down_in_some_regions: (name) =>
    new RegExp(`^${name} (is down in [1-3]|failed in [2-4]) of [2-4] regions \\(`),
  blocked: (name) => new RegExp(`^${name} refused our probes in .* we cannot say whether`),
  no_data: (name) =>
    new RegExp(
      `^(We have no recent measurement of ${name}|The measured page of ${name} changed|${name} fails in .* but it has never worked from there|${name} does not answer .*, and we are checking whether our own network is at fault|${name} failed .* and is being retried|Our probes could not measure ${name} .*|Readings of ${name} from .* do not count because .*), so we cannot say`,
    ),
}
