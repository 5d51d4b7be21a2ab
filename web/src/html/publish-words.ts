import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceState } from '@probe-mesh/contracts/maintenance/maintenance'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import type { Wording } from './components/tag.ts'

/** Words for the public state of a page or a component. */
export const stateWords: Readonly<Record<ComponentState, Wording>> = {
  operational: { tone: 'good', text: 'Operational' },
  degraded: { tone: 'uncertain', text: 'Degraded' },
  down: { tone: 'bad', text: 'Down' },
  maintenance: { tone: 'uncertain', text: 'Maintenance' },
  // no data is never healthy (S-102)
  no_data: { tone: 'silent', text: 'No data' },
}

export const incidentWords: Readonly<Record<IncidentStatus, Wording>> = {
  investigating: { tone: 'bad', text: 'Investigating' },
  identified: { tone: 'bad', text: 'Identified' },
  monitoring: { tone: 'uncertain', text: 'Monitoring' },
  resolved: { tone: 'good', text: 'Resolved' },
}

export const maintenanceWords: Readonly<Record<MaintenanceState, Wording>> = {
  scheduled: { tone: 'silent', text: 'Scheduled' },
  active: { tone: 'uncertain', text: 'Active' },
  ended: { tone: 'good', text: 'Ended' },
}

/** For a window that never began. */
export const cancelledWords: Wording = { tone: 'silent', text: 'Cancelled' }
