import { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { expect, test } from 'vitest'
import { getReportVolume } from './answer-verbs.ts'
import { getServicePage } from './get-service-page.ts'
import { isServiceDown } from './answer-verbs.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { answersOf } from './testing.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const input = (slug: string) => ({ params: { slug }, query: {} })
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const outage = {
  startMs: nowMs - 60_000,
  endMs: null,
  regions: ['fra'],
  readings: 2,
  recoveringMs: null,
  unmeasuredMs: 0,
}

test('it says what the other answers say, and the history', async () => {
  const context = answersOf({ now: () => nowMs, outagesOf: async () => [outage] })
  context.observed.setReadings('github', { fra: 'up', iad: 'down' })
  context.reports.record({ slug: 'github', region: 'fra', address: '192.0.2.1' })
  const page = await getServicePage(context, input('gh'))
  expect(ServicePageAnswer.safeParse(page).error?.issues ?? []).toEqual([])
  expect(page).toMatchObject(isServiceDown(context, input('github')))
  const { reports, summary } = getReportVolume(context, input('github'))
  expect([page.reports, page.reportSummary]).toEqual([reports, summary])
  const { incidents } = (await listRecentIncidents(context, input('github'))) as {
    incidents: unknown
  }
  expect(page.incidents).toEqual(incidents)
  expect(page.history?.days).toHaveLength(90)
  expect(page).toMatchObject({ category: 'code_hosting', reportRegions: context.regions })
})

test('while the time series is away the past is null, and the status is what it is', async () => {
  const gone = () => Promise.reject(away)
  const context = answersOf({ outagesOf: gone, historyOf: gone })
  context.observed.setReadings('github', { fra: 'up', iad: 'up' })
  expect(await getServicePage(context, input('github'))).toMatchObject({
    status: 'up',
    incidents: null,
    history: null,
  })
})

test('outside the catalog nothing is known, and nothing is asked', async () => {
  const ask = () => Promise.reject(new Error('it was asked'))
  const page = await getServicePage(answersOf({ outagesOf: ask, historyOf: ask }), input('githib'))
  expect(ServicePageAnswer.safeParse(page).error?.issues ?? []).toEqual([])
  expect(page).toMatchObject({
    service: null,
    status: 'not_covered',
    didYouMean: ['github'],
    incidents: [],
    history: null,
    category: null,
  })
})

test('a bug of ours is not said to be a store that is away', async () => {
  const context = answersOf({ historyOf: () => Promise.reject(new Error('a bug')) })
  await expect(getServicePage(context, input('github'))).rejects.toThrow('a bug')
})
