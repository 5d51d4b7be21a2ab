import { RecentIncidentsAnswer } from '@probe-mesh/contracts/outage/answers'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { describe, expect, test } from 'vitest'
import type { Outage } from '../past-outages.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { describeServiceHistory } from '../observe/service-history.ts'
import { answersOf, type TestAnswers } from './testing.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const answers = (more: Partial<TestAnswers> = {}): TestAnswers => answersOf({ now: () => t0, ...more })

const incidentsOf = async (context: TestAnswers, slug: string) =>
  RecentIncidentsAnswer.parse(await listRecentIncidents(context, { params: { slug } }))

describe('recent incidents', () => {
  const outage = (more: Partial<Outage>): Outage => ({
    startMs: t0 - 3_600_000,
    endMs: t0 - 1_800_000,
    regions: ['fra', 'iad'],
    readings: 60,
    recoveringMs: null,
    unmeasuredMs: 0,
    ...more,
  })

  test('are listed newest first, with the current status', async () => {
    const context = answers({
      outagesOf: async (slug) =>
        slug === 'github' ? [outage({}), outage({ startMs: t0 - 86_400_000 })] : [],
    })
    context.observed.setReadings('github', { fra: 'up' })
    const answer = await incidentsOf(context, 'GitHub')
    expect(answer).toMatchObject({ status: 'up', regionsRead: ['fra'] })
    expect(answer.incidents[0]).toEqual({
      startedAt: '2026-11-20T11:00:00.000Z',
      endedAt: '2026-11-20T11:30:00.000Z',
      ongoing: false,
      durationSeconds: 1_800,
      regions: ['fra', 'iad'],
      unmeasuredSeconds: 0,
      aheadOfVendorSeconds: null,
    })
    expect(answer.summary).toMatch(
      /^From this machine, we saw 2 outages of GitHub; the last began 2026-11-20 11:00 UTC \(fra and iad\) and lasted 30 min; our own probes: GitHub is up/,
    )
  })

  test('never contradict the current status', async () => {
    const ongoing = outage({ endMs: null, recoveringMs: t0 - 5_000 })
    const up = answers({ outagesOf: async () => [ongoing] })
    up.observed.setReadings('github', { fra: 'up', iad: 'up' })
    expect(await incidentsOf(up, 'github')).toMatchObject({
      status: 'up',
      incidents: [{ ongoing: false, endedAt: '2026-11-20T11:59:55.000Z' }],
    })
    const down = answers({ outagesOf: async () => [] })
    down.observed.setReadings('github', { fra: 'down', iad: 'down' })
    expect(await incidentsOf(down, 'github')).toMatchObject({
      status: 'down',
      incidents: [{ ongoing: true, regions: ['fra', 'iad'] }],
      summary: expect.stringMatching(/^From this machine, an outage of GitHub has been under way since/),
    })
  })

  test('are not known where nothing was ever measured', async () => {
    const summaryOf = async (more: Partial<TestAnswers>, reading: 'up' | null) => {
      const context = answers(more)
      if (reading !== null) context.observed.setReadings('github', { fra: reading })
      return (await incidentsOf(context, 'github')).summary
    }
    const unknown =
      'From this machine, nothing was measured of GitHub in the last 30 days, so its outages are not known'
    const none = 'From this machine, we saw no outage of GitHub in the stored readings'
    expect(await summaryOf({}, null)).toMatch(new RegExp(`^${unknown}; our own probes: we have no`))
    expect(await summaryOf({}, 'up')).toMatch(new RegExp(`^${none}; `))
    const hours = [{ atMs: t0 - 86_400_000, up: 60, down: 0 }]
    const historyOf = async () => describeServiceHistory({ hours, steps: [] }, t0)
    expect(await summaryOf({ historyOf }, null)).toMatch(new RegExp(`^${none}; `))
  })

  test('are limited to 50', async () => {
    const outagesOf = async () => Array.from({ length: 60 }, () => outage({}))
    expect((await incidentsOf(answers({ outagesOf }), 'github')).incidents).toHaveLength(50)
  })

  test('are SV-9002 while ClickHouse is unavailable, and throw an error that is our bug', async () => {
    const unavailable = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const failWith = (error: Error) =>
      answers({
        outagesOf: async () => {
          throw error
        },
      })
    const input = { params: { slug: 'github' } }
    expect(await listRecentIncidents(failWith(unavailable), input)).toEqual(
      refuse('SV-9002', { retryAfterSeconds: 5 }),
    )
    await expect(listRecentIncidents(failWith(new Error('a bug')), input)).rejects.toThrow('a bug')
  })
})
