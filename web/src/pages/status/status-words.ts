import type { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import type { Wording } from '../../html/components/tag.ts'

export const componentWords: Readonly<Record<ComponentState, Wording>> = {
  operational: { tone: 'good', text: 'operational' },
  degraded: { tone: 'uncertain', text: 'degraded' },
  down: { tone: 'bad', text: 'down' },
  maintenance: { tone: 'uncertain', text: 'maintenance' },
  no_data: { tone: 'silent', text: 'no data' },
}

export const incidentWords: Readonly<Record<IncidentStatus, Wording>> = {
  investigating: { tone: 'bad', text: 'investigating' },
  identified: { tone: 'bad', text: 'identified' },
  monitoring: { tone: 'uncertain', text: 'monitoring' },
  resolved: { tone: 'good', text: 'resolved' },
}

/** How the headline of a page looks. No data is never good (S-1714). */
export const headlineTones: Readonly<Record<HeadlineLevel, Wording['tone']>> = {
  operational: 'good',
  notice: 'good',
  no_data: 'silent',
  maintenance: 'uncertain',
  degraded: 'uncertain',
  partial_outage: 'bad',
  major_outage: 'bad',
}
