import type { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceState } from '@probe-mesh/contracts/maintenance/maintenance'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import type { IconName } from '../../html/components/icon.ts'
import type { Wording } from '../../html/components/tag.ts'

type Tone = Wording['tone']

/** The tone of a component. No data is never good (S-102). */
export const stateTones: Readonly<Record<ComponentState, Tone>> = {
  operational: 'good',
  degraded: 'uncertain',
  down: 'bad',
  maintenance: 'uncertain',
  no_data: 'silent',
}

export const incidentTones: Readonly<Record<IncidentStatus, Tone>> = {
  investigating: 'bad',
  identified: 'bad',
  monitoring: 'uncertain',
  resolved: 'good',
}

export const windowTones: Readonly<Record<MaintenanceState, Tone>> = {
  scheduled: 'silent',
  active: 'uncertain',
  ended: 'good',
}

/** The look of a page's headline. No data is never good (S-1714). */
export const headlineLooks: Readonly<Record<HeadlineLevel, { tone: Tone; icon: IconName }>> = {
  operational: { tone: 'good', icon: 'ok' },
  notice: { tone: 'good', icon: 'info' },
  no_data: { tone: 'silent', icon: 'help' },
  maintenance: { tone: 'uncertain', icon: 'maintenance' },
  degraded: { tone: 'uncertain', icon: 'warning' },
  partial_outage: { tone: 'bad', icon: 'warning' },
  major_outage: { tone: 'bad', icon: 'outage' },
}
