import type { Ask } from '../../api/ask.ts'
import { refused, type Outcome } from '../outcome.ts'
import { overviewPage } from './overview-page.ts'

const alertsMax = 100

/** The first page of the dashboard. An account without checks starts with its first check. */
export const showOverview = async (ask: Ask, nowMs: number): Promise<Outcome> => {
  const [answer, alerts] = await Promise.all([
    ask('getOverview', {}),
    ask('listAlerts', { query: { limit: alertsMax } }),
  ])
  if (!answer.ok) return refused(answer)
  if (answer.value.checks.total === 0) return { kind: 'elsewhere', path: '/dashboard/welcome' }
  const main = overviewPage(answer.value, alerts, nowMs)
  return { kind: 'page', title: 'Overview', area: 'overview', main }
}
