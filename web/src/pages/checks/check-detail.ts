import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { Ask } from '../../api/ask.ts'
import { refused } from '../outcome.ts'
import { get, type MemberRoute } from '../page-route.ts'
import { checkHead, checkPage, type CheckEvidence } from './check-page.ts'
import type { History } from './history-card.ts'
import { historyChoice, regionIn, stepSeconds, type HistoryChoice } from './history-range.ts'
import { readingsPage } from './readings-page.ts'

/** Enough for the newest reading of ten regions, even with confirmations. */
const newestReadings = 50
const incidentsMax = 500
const windowsMax = 500
const outagesMax = 50
const readingsOfPage = 100

/** One check with its evidence, and its individual readings. */
export const checkDetailRoutes: readonly MemberRoute[] = [
  get('/dashboard/checks/:id', async ({ ask, params, query, zone }) => {
    const answer = await ask('getCheck', { params: { id: params['id'] ?? '' } })
    if (!answer.ok) return refused(answer)
    const check = answer.value
    const nowMs = Date.now()
    const [evidence, alerts, receivers, depends, notes, rule, cause, pause] = await Promise.all([
      evidenceOf(ask, check, query, nowMs),
      ask('listAlerts', { query: { checkId: check.id, limit: 1 } }),
      ask('getCheckReceivers', { params: { id: check.id } }),
      ask('getCheckParents', { params: { id: check.id } }),
      ask('getCheckNotes', { params: { id: check.id } }),
      ask('getStatusRule', { params: { id: check.id } }),
      check.status === 'down' ? ask('getCheckCause', { params: { id: check.id } }) : null,
      check.paused ? ask('getCheckPause', { params: { id: check.id } }) : null,
    ])
    const alert = alerts.ok ? (alerts.value.alerts[0] ?? null) : null
    return {
      kind: 'page',
      title: check.name,
      area: 'checks',
      ...checkHead(check, nowMs),
      main: checkPage(
        check,
        { evidence, receivers, depends, notes, rule, cause, alert, pause },
        { nowMs, zone },
      ),
    }
  }),
  get('/dashboard/checks/:id/readings', async ({ ask, params, query }) => {
    const id = params['id'] ?? ''
    const region = regionIn(query)
    const cursor = query.get('cursor')
    const found = await ask('getCheck', { params: { id } })
    if (!found.ok) return refused(found)
    const answer = await ask('listReadings', {
      params: { id },
      query: {
        limit: readingsOfPage,
        ...(region !== null && { region }),
        ...(cursor !== null && { cursor }),
      },
    })
    if (!answer.ok) return refused(answer)
    const { readings, nextCursor: older } = answer.value
    const main = readingsPage(found.value, { readings, region, older }, cursor === null)
    return { kind: 'page', title: `Readings of ${found.value.name}`, area: 'checks', main }
  }),
]

/** The data around the check: an unavailable database affects only its part of the page. */
const evidenceOf = async (
  ask: Ask,
  check: CheckDetail,
  query: URLSearchParams,
  nowMs: number,
): Promise<CheckEvidence> => {
  const { id, type } = check
  const params = { id }
  if (type === 'heartbeat') {
    const [runs, config, outages] = await Promise.all([
      ask('listHeartbeatRuns', { params, query: {} }),
      ask('getCheckConfig', { params }),
      ask('listOutages', { query: { checkId: id, limit: outagesMax } }),
    ])
    const cron = config.ok && config.value.type === 'heartbeat' ? config.value.settings : null
    return { kind: 'heartbeat', runs, schedule: cron, nowMs, outages }
  }
  const choice = historyChoice(query, check, nowMs)
  const [since, until] = [new Date(choice.fromMs).toISOString(), new Date(choice.toMs).toISOString()]
  const [{ regions, series }, outages, incidents, maintenance, readings, errors, config] = await Promise.all([
    askSeries(ask, check, choice),
    ask('listOutages', { query: { checkId: id, limit: outagesMax } }),
    ask('listIncidents', { query: { limit: incidentsMax } }),
    ask('listMaintenance', { query: { checkId: id, limit: windowsMax } }),
    ask('listReadings', { params, query: { limit: newestReadings } }),
    ask('getErrorMarks', { query: { since, until, checkId: id } }),
    type === 'multistep' ? ask('getCheckConfig', { params }) : null,
  ])
  const steps =
    config?.ok && config.value.type === 'multistep' ? config.value.steps.map(({ name }) => name) : []
  return {
    kind: 'probed',
    history: { choice, series, regions, outages, incidents, maintenance, errors },
    readings,
    steps,
  }
}

/** Latency and states in a window, for all regions and for each. */
export const askSeries = async (
  ask: Ask,
  { id, intervalSeconds }: Pick<CheckDetail, 'id' | 'intervalSeconds'>,
  choice: Pick<HistoryChoice, 'fromMs' | 'toMs'>,
): Promise<Pick<History, 'series' | 'regions'>> => {
  const params = { id }
  const time = { from: new Date(choice.fromMs).toISOString(), to: new Date(choice.toMs).toISOString() }
  const regions = await ask('getRegionSeries', { params, query: time })
  const own = regions.ok ? regions.value.stepSeconds : stepSeconds(choice, intervalSeconds)
  // whole steps with a slot in every region: a step without one would look like a gap
  const step = Math.min(Math.ceil(intervalSeconds / own), 86_400 / own) * own
  return { regions, series: await ask('getSeries', { params, query: { ...time, step } }) }
}
