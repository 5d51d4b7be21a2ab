import { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { expect, test } from 'vitest'
import { getReportVolume, isServiceDown } from './answer-verbs.ts'
import { getServicePage } from './get-service-page.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { answersOf } from './testing.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const input = (slug: string) => ({ params: { slug }, query: {} })
const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const outage = {
  startMs: nowMs - 60_000,
  endMs: null,
  regions: ['fra'],
  readings: 2,
  recoveringMs: null,
  unmeasuredMs: 0,
}

test('the page contains the other answers about the service, and the history', async () => {
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

test('while ClickHouse is unavailable, the page has the status and no past', async () => {
  const fail = () => Promise.reject(unavailable)
  const context = answersOf({ outagesOf: fail, historyOf: fail })
  context.observed.setReadings('github', { fra: 'up', iad: 'up' })
  expect(await getServicePage(context, input('github'))).toMatchObject({
    status: 'up',
    incidents: null,
    history: null,
  })
})

test('the page of a service outside the catalog has no data and causes no query', async () => {
  const query = () => Promise.reject(new Error('unexpected query'))
  const page = await getServicePage(answersOf({ outagesOf: query, historyOf: query }), input('githib'))
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

test('the page throws an error that is our bug, instead of leaving out the past', async () => {
  const context = answersOf({ historyOf: () => Promise.reject(new Error('a bug')) })
  await expect(getServicePage(context, input('github'))).rejects.toThrow('a bug')
})
