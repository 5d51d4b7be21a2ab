import { describe, expect, test } from 'vitest'
import { getRegionalReadings, getReportVolume, isServiceDown } from './answer-verbs.ts'
import { getServicePage } from './get-service-page.ts'
import { getStack } from './get-stack.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { listServices } from './list-services.ts'
import { namedProbes } from '../evidence.ts'
import { reportProblem } from './report-problem.ts'
import { answersOf } from './testing.ts'

const answers = () => answersOf({ now: () => Date.parse('2026-11-20T12:00:00.000Z') })
const statusOf = (context: ReturnType<typeof answers>, slug: string) =>
  isServiceDown(context, { params: { slug }, query: {} })

describe('the probes', () => {
  const [github, other] = [
    { url: 'https://api.github.com/zen', grade: 'works' },
    { url: 'https://example.com/', grade: 'answers' },
  ]
  const context = answers()
  context.observed.setReadings('github', { fra: 'up' })
  context.observed.setReadings('npm', { fra: 'up' })
  const input = { params: { slug: 'github' } }

  test('are in every answer about a service, with the grade that they show', async () => {
    for (const answer of [
      statusOf(context, 'github'),
      getRegionalReadings(context, input),
      getReportVolume(context, input),
      reportProblem(context, { ...input, body: { region: 'fra' } }, '192.0.2.1'),
      await listRecentIncidents(context, input),
      await getServicePage(context, input),
    ]) {
      expect(answer).toMatchObject({ shows: 'works', probes: [github], probeCount: 1 })
    }
    expect(statusOf(context, 'npm')).toMatchObject({
      status: 'up',
      shows: 'answers',
      probes: [other],
      summary: expect.stringMatching(/^From this machine, no sign of an outage: example\.com answers, /),
    })
  })

  test('are in every answer about several services, in total and per service', () => {
    const all = [other, github, other, other]
    const list = listServices(context)
    for (const answer of [list, internetWeather(context), isTheInternetDown(context)]) {
      expect(answer).toMatchObject({ probes: all, probeCount: 4 })
    }
    expect(list.services.map(({ probes, shows }) => [probes, shows])).toEqual([
      [[other], null],
      [[github], 'works'],
      [[other], 'answers'],
      [[other], null],
    ])
    expect(getStack(context, { params: { idOrSlug: 'web-shop' } })).toMatchObject({
      probes: [github, other, other],
      services: [{ probes: [github], shows: 'works' }, { shows: 'answers' }, { shows: null }],
    })
  })

  test('are sorted from the weakest grade if there are more than the limit', () => {
    const grades = ['works', 'answers', 'edge'] as const
    const many = Array.from({ length: 60 }, (_, k) => ({
      url: `https://${k}.example/`,
      grade: grades[k % 3] ?? 'edge',
    }))
    const { probes, probeCount } = namedProbes(many)
    expect([probes.length, probeCount]).toEqual([40, 60])
    expect(probes.map(({ grade }) => grade)).toEqual([
      ...Array.from({ length: 20 }, () => 'edge'),
      ...Array.from({ length: 20 }, () => 'answers'),
    ])
  })

  test('are empty outside the catalog', () => {
    expect(statusOf(answers(), 'githib')).toMatchObject({ shows: null, probes: [], probeCount: 0 })
  })
})
