import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceState } from '@probe-mesh/contracts/maintenance/maintenance'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import type { Wording } from './components/tag.ts'

/** What a page or a component says to everybody. */
export const stateWords: Readonly<Record<ComponentState, Wording>> = {
  operational: { tone: 'good', text: 'operational' },
  degraded: { tone: 'uncertain', text: 'degraded' },
  down: { tone: 'bad', text: 'down' },
  maintenance: { tone: 'uncertain', text: 'maintenance' },
  // no data is never healthy (S-102)
  no_data: { tone: 'silent', text: 'no data' },
}

export const incidentWords: Readonly<Record<IncidentStatus, Wording>> = {
  investigating: { tone: 'bad', text: 'investigating' },
  identified: { tone: 'bad', text: 'identified' },
  monitoring: { tone: 'uncertain', text: 'monitoring' },
  resolved: { tone: 'good', text: 'resolved' },
}

export const maintenanceWords: Readonly<Record<MaintenanceState, Wording>> = {
  scheduled: { tone: 'silent', text: 'scheduled' },
  active: { tone: 'uncertain', text: 'active' },
  ended: { tone: 'good', text: 'ended' },
}

/** Of a window that never began. */
export const cancelledWords: Wording = { tone: 'silent', text: 'cancelled' }
