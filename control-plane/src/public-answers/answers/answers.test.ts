import {
  CatalogAnswer,
  RecentIncidentsAnswer,
  RegionalReadingsAnswer,
  ReportVolumeAnswer,
  ServiceStatusAnswer,
  StackAnswer,
  type ServiceStatus,
} from '@probe-mesh/contracts/outage/answers'
import { InternetAnswer, WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { describe, expect, test } from 'vitest'
import { percentilesOf } from '../testing.ts'
import { getRegionalReadings, getReportVolume, isServiceDown } from './answer-verbs.ts'
import { getStack } from './get-stack.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { listServices } from './list-services.ts'
import { reportProblem } from './report-problem.ts'
import { answersOf, type TestReading, type TestAnswers } from './testing.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const answers = (more: Partial<TestAnswers> = {}): TestAnswers => answersOf({ now: () => t0, ...more })

const statusOf = (context: TestAnswers, slug: string, region?: string) =>
  ServiceStatusAnswer.parse(
    isServiceDown(context, { params: { slug }, query: region === undefined ? {} : { region } }),
  )

const stale: TestReading = { verdict: 'down', measuredAt: t0 - 180_001 }

describe('the status of a service', () => {
  test.each<[ServiceStatus, Record<string, TestReading>, string[]]>([
    ['no_data', {}, []],
    ['up', { fra: 'up', iad: 'up' }, ['fra', 'iad']],
    ['down', { fra: 'down' }, ['fra']],
    ['down_in_some_regions', { fra: 'down', iad: 'up' }, ['fra', 'iad']],
    ['blocked', { fra: 'blocked', iad: 'blocked' }, ['fra', 'iad']],
    ['up', { fra: 'blocked', iad: 'up' }, ['fra', 'iad']],
    ['down_in_some_regions', { fra: 'blocked', iad: 'down' }, ['fra', 'iad']],
    ['no_data', { fra: stale }, []],
    ['up', { fra: stale, iad: 'up' }, ['iad']],
    ['down', { fra: { verdict: 'down', measuredAt: t0 - 180_000 } }, ['fra']],
  ])('is %s for readings %j', (status, readings, regionsRead) => {
    const context = answers()
    context.observed.setReadings('github', readings)
    expect(statusOf(context, 'github')).toMatchObject({
      service: { slug: 'github', name: 'GitHub' },
      status,
      regionsRead,
      url: 'http://127.0.0.1:8080/services/github',
    })
  })

  test.each(['GitHub', 'gh', 'github.com', 'https://github.com/a/b', 'GITHUB', ' git hub '])(
    'is also found by %j',
    (query) => {
      const context = answers()
      context.observed.setReadings('github', { fra: 'up' })
      expect(statusOf(context, query)).toEqual(statusOf(context, 'github'))
    },
  )

  test('for one region uses only that region, and is no_data for an unread one', () => {
    const context = answers()
    context.observed.setReadings('github', { fra: 'down', iad: 'up' })
    expect(statusOf(context, 'github', 'fra')).toMatchObject({ status: 'down', regionsRead: ['fra'] })
    expect(statusOf(context, 'github', 'nrt')).toMatchObject({ status: 'no_data', regionsRead: [] })
    const unread = statusOf(context, 'github', 'syd')
    expect(unread).toMatchObject({ status: 'no_data', regions: [], measuredAt: null })
    expect(unread.summary).toMatch(/no recent measurement of GitHub from syd/)
  })

  test('ignores reports: 50,000 of them change no answer', () => {
    const context = answers({
      reports: {
        record: () => true,
        minutesOf: () => [{ region: 'fra', atMs: t0 - 60_000, count: 50_000 }],
        usualOf: () => Array.from({ length: 32 }, () => 1),
      },
    })
    const withoutReports = { ...context, reports: unusedReports }
    for (const readings of [{}, { fra: 'up' }, { fra: 'down' }, { fra: 'blocked' }] as const) {
      context.observed.setReadings('github', readings)
      expect(statusOf(context, 'github')).toEqual(statusOf(withoutReports, 'github'))
      const volume = reportsOf(context, 'github')
      expect(volume.reports).toMatchObject({ verdict: 'unusual', last15Minutes: 50_000 })
      expect(volume.status).toBe(statusOf(context, 'github').status)
    }
    for (const answer of [listServices, internetWeather, isTheInternetDown]) {
      expect(() => answer(withoutReports)).not.toThrow()
    }
  })
})

const unusedReports: TestAnswers['reports'] = {
  record: () => expect.unreachable('a report was recorded'),
  minutesOf: () => expect.unreachable('reports were read'),
  usualOf: () => expect.unreachable('reports were read'),
}

const reportsOf = (context: TestAnswers, slug: string) =>
  ReportVolumeAnswer.parse(getReportVolume(context, { params: { slug } }))

const incidentsOf = async (context: TestAnswers, slug: string) =>
  RecentIncidentsAnswer.parse(await listRecentIncidents(context, { params: { slug } }))

describe('outside the catalog', () => {
  const uncovered = {
    service: null,
    status: 'not_covered',
    regionsRead: [],
    measuredAt: null,
    freshness: { verdict: 'no_data', ageSeconds: null },
    url: 'http://127.0.0.1:8080/services',
  }

  test('every answer about a service is not_covered, with suggestions and no guess', async () => {
    const context = answers({ outagesOf: () => expect.unreachable('outages were read') })
    context.observed.setReadings('github', { fra: 'down' })
    const params = { slug: 'githib' }
    const { readings, ...regional } = RegionalReadingsAnswer.parse(getRegionalReadings(context, { params }))
    const volume = reportsOf(context, 'githib')
    const incidents = await incidentsOf(context, 'githib')
    const status = statusOf(context, 'githib')
    for (const answer of [status, regional, volume, incidents]) {
      expect(answer).toMatchObject({ ...uncovered, didYouMean: ['github'] })
      expect(answer.summary).toBe(status.summary)
    }
    expect(status.summary).toMatch(/"githib" is not in our catalog.*did you mean github\?$/)
    expect([readings, status.regions, incidents.incidents]).toEqual([[], [], []])
    expect(volume.reports).toMatchObject({ verdict: 'no_data', last60Minutes: 0, regions: [] })
  })

  test.each(['', 'x'.repeat(300), '__proto__', 'constructor', '%', '\u0000', 'web-shop'])(
    'the status of %j is not_covered',
    (query) => expect(statusOf(answers(), query)).toMatchObject(uncovered),
  )

  test('a report is not counted', () => {
    const context = answers({ reports: { ...answers().reports, record: unusedReports.record } })
    const input = { params: { slug: 'githib' }, body: { region: 'unknown' } }
    expect(reportProblem(context, input, '192.0.2.1')).toMatchObject({
      ...uncovered,
      counted: false,
    })
  })
})

describe('regional readings', () => {
  test('list every region and mark stale and missing readings', () => {
    const context = answers()
    context.observed.setReadings('github', { fra: 'up', iad: stale, sjc: 'blocked' })
    const answer = getRegionalReadings(context, { params: { slug: 'gh' } })
    expect(RegionalReadingsAnswer.parse(answer).readings).toMatchObject([
      { region: 'fra', status: 'up', fresh: true, latencyMs: 20 },
      { region: 'iad', status: 'stale', fresh: false },
      { region: 'nrt', status: 'unknown', fresh: false, measuredAt: null },
      { region: 'sjc', status: 'blocked', fresh: true },
    ])
    expect(answer).not.toHaveProperty('regions')
  })
})

describe('a report', () => {
  const report = (context: TestAnswers, address: string, region = 'unknown') =>
    reportProblem(context, { params: { slug: 'gh' }, body: { region } }, address)

  test('counts once per address, and is answered with the status from our own probes', () => {
    const context = answers()
    context.observed.setReadings('github', { fra: 'up' })
    expect(report(context, '192.0.2.1', 'fra')).toMatchObject({
      counted: true,
      status: 'up',
      reports: { last15Minutes: 1, regions: [{ region: 'fra', last15Minutes: 1 }] },
      summary: expect.stringMatching(/^1 person reports .*our own probes: from this machine, GitHub is up,/),
    })
    expect(report(context, '192.0.2.1')).toMatchObject({
      counted: false,
      reports: { last15Minutes: 1 },
    })
  })

  test('from a region that is not live counts for the region unknown', () => {
    const { reports } = report(answers(), '192.0.2.1', 'xyz')
    expect(reports.regions).toEqual([{ region: 'unknown', last15Minutes: 1, last60Minutes: 1 }])
  })
})

describe('a stack', () => {
  const stackOf = (context: TestAnswers, idOrSlug: string) =>
    StackAnswer.parse(getStack(context, { params: { idOrSlug } }))

  test('counts its down, missing and blocked services, by id and by slug', () => {
    const context = answers()
    context.observed.setReadings('github', { fra: 'down', iad: 'up' })
    context.observed.setReadings('npm', { fra: 'blocked', nrt: 'blocked' })
    const answer = stackOf(context, 'web-shop')
    expect(answer).toMatchObject({
      stack: { slug: 'web-shop', name: 'Web shop' },
      status: 'down_in_some_regions',
      services: [
        { slug: 'github', level: 'down_in_some_regions', measuredAt: '2026-11-20T12:00:00.000Z' },
        { slug: 'npm', level: 'blocked' },
        { slug: 'stripe', level: 'no_data', measuredAt: null },
      ],
      regionsRead: ['fra', 'iad', 'nrt'],
      measuredAt: '2026-11-20T12:00:00.000Z',
      summary: '1 of 3 services down or degraded, 1 with no data, 1 blocked',
      url: 'http://127.0.0.1:8080/stacks/web-shop',
    })
    expect(stackOf(context, answer.stack.id.toUpperCase())).toEqual(answer)
  })

  test('without measurements is no_data', () => {
    expect(stackOf(answers(), 'web-shop')).toMatchObject({
      status: 'no_data',
      regionsRead: [],
      freshness: { verdict: 'no_data' },
      summary: '0 of 3 services down or degraded, 3 with no data',
    })
  })

  test('is degraded if a service is three times slower than usual in most regions', () => {
    const context = answers()
    for (const slug of ['github', 'npm', 'stripe']) context.observed.setReadings(slug, { fra: 'up' })
    const slow = { latenciesMs: [300, 300, 300], baseline: { p50Ms: 100, samples: 30 } }
    context.observed.setLatencies('npm', [{ region: 'fra', ...slow }])
    expect(stackOf(context, 'web-shop')).toMatchObject({
      status: 'degraded',
      summary: '1 of 3 services down or degraded',
    })
  })

  test.each(['nothing', 'github', '__proto__', ''])('named %j does not exist: SV-3001', (idOrSlug) => {
    expect(getStack(answers(), { params: { idOrSlug } })).toMatchObject({ refused: 'SV-3001' })
  })
})

describe('the catalog', () => {
  test('lists every service with its level and the infrastructure it shares, and the stacks', () => {
    const context = answers()
    context.observed.setReadings('github', { fra: 'down' })
    const answer = CatalogAnswer.parse(listServices(context))
    expect(answer.services.map(({ slug, level }) => [slug, level])).toEqual([
      ['acme-cdn', 'no_data'],
      ['github', 'down'],
      ['npm', 'no_data'],
      ['stripe', 'no_data'],
    ])
    const acme = { kind: 'cdn', name: 'acme' }
    expect(answer.services.map(({ factors }) => factors)).toEqual([[acme], [], [acme], []])
    expect(answer).toMatchObject({
      stacks: [
        {
          slug: 'web-shop',
          name: 'Web shop',
          description: 'What a shop needs.',
          members: ['github', 'npm', 'stripe'],
        },
      ],
      regionsRead: ['fra'],
      summary:
        'From this machine, 1 of 4 services down or degraded, 3 with no data, measured 2026-11-20 12:00 UTC.',
      url: 'http://127.0.0.1:8080/services',
    })
  })
})

describe('the weather', () => {
  const weatherOf = (context: TestAnswers) => WeatherAnswer.parse(internetWeather(context))

  test('covers every live region, and its evidence lists those that were read', () => {
    const context = answers()
    const days = Array.from({ length: 7 }, () => percentilesOf(100))
    const ratiosAt = (ratio: number) => ({
      responseRatio: { ratio, services: 9 },
      dayRatios: days.map(() => ({ ratio: 1, services: 9 })),
    })
    context.observed.setWeather([
      { region: 'fra', now: percentilesOf(200), days, ...ratiosAt(2), quarantined: false },
      { region: 'iad', now: null, days, ...ratiosAt(1), quarantined: false },
    ])
    context.observed.setReadings('github', { fra: 'up', iad: 'up' })
    expect(weatherOf(context)).toMatchObject({
      verdict: 'slower',
      regions: [
        { region: 'fra', verdict: 'slower', ratio: 2 },
        { region: 'iad', verdict: 'no_data' },
      ],
      regionsRead: ['fra'],
      url: 'http://127.0.0.1:8080/weather',
      summary: expect.stringMatching(/slower than usual .* \(fra 2x\)/),
    })
  })

  test('is no_data without readings', () => {
    expect(weatherOf(answers())).toMatchObject({
      verdict: 'no_data',
      regionsRead: [],
      measuredAt: null,
      freshness: { verdict: 'no_data' },
    })
  })
})

describe('the internet', () => {
  const internetOf = (context: TestAnswers) => InternetAnswer.parse(isTheInternetDown(context))

  test('is no_data at a cold start, and none once half of the catalog is measured', () => {
    const context = answers()
    expect(internetOf(context)).toMatchObject({ status: 'no_data', regionsRead: [] })
    for (const slug of ['github', 'npm']) context.observed.setReadings(slug, { fra: 'up' })
    expect(internetOf(context)).toMatchObject({
      status: 'none',
      sharedIncident: null,
      regionsRead: ['fra'],
      url: 'http://127.0.0.1:8080/internet',
    })
  })

  test('has the open incident with its evidence', () => {
    const context = answers()
    const sinceMs = t0 - 600_000
    context.observed.setShared({
      open: [
        {
          factor: { kind: 'cdn', name: 'acme' },
          sinceMs,
          members: [
            { slug: 'npm', name: 'npm', sinceMs, failedAtMs: t0, failing: true },
            { slug: 'stripe', name: 'Stripe', sinceMs, failedAtMs: t0, failing: true },
          ],
          peak: 2,
          measuredCount: 3,
          regions: ['fra'],
          confidence: 0.99,
          quietSinceMs: null,
        },
      ],
      spent: [],
    })
    expect(internetOf(context)).toMatchObject({
      status: 'incident',
      sharedIncident: { factor: { kind: 'cdn', name: 'acme' }, measuredCount: 3 },
      summary: expect.stringMatching(/CDN acme .* 2 of 3 measured services failed \(npm and Stripe\)/),
    })
  })
})
