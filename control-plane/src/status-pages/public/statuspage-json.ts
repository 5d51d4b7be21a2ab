import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceState, MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { displayName, incidentUpdatedAt, lastChangeAt } from './public-page.ts'
import type { PublicComponent, PublicPage } from './public-page.ts'
import type { ComponentState, StatusPageState } from '@probe-mesh/contracts/status-page/status-page'

/**
 * A page in the format of Statuspage's public API, version 2, for existing clients. Fields with `x_` are our
 * own.
 */
export const statuspageDocuments = {
  summary: (page: PublicPage) => ({
    page: pageOf(page),
    components: componentsOf(page),
    incidents: incidentsOf(page, isUnresolved),
    scheduled_maintenances: maintenancesOf(page, (state) => state !== 'ended'),
    status: statusOf(page),
  }),
  status: (page: PublicPage) => ({ page: pageOf(page), status: statusOf(page) }),
  components: (page: PublicPage) => ({ page: pageOf(page), components: componentsOf(page) }),
  incidents: (page: PublicPage) => ({ page: pageOf(page), incidents: incidentsOf(page) }),
  'incidents/unresolved': (page: PublicPage) => ({
    page: pageOf(page),
    incidents: incidentsOf(page, isUnresolved),
  }),
  'scheduled-maintenances': (page: PublicPage) => ({
    page: pageOf(page),
    scheduled_maintenances: maintenancesOf(page),
  }),
  'scheduled-maintenances/upcoming': (page: PublicPage) => ({
    page: pageOf(page),
    scheduled_maintenances: maintenancesOf(page, (state) => state === 'scheduled'),
  }),
  'scheduled-maintenances/active': (page: PublicPage) => ({
    page: pageOf(page),
    scheduled_maintenances: maintenancesOf(page, (state) => state === 'active'),
  }),
} as const satisfies Record<string, (page: PublicPage) => object>

const pageOf = (page: PublicPage) => ({
  id: page.page.id,
  name: displayName(page.page),
  url: page.page.url,
  time_zone: 'Etc/UTC',
  updated_at: lastChangeAt(page),
})

const statusOf = ({ page, components }: PublicPage) => pageStatus(page.state, components)

const componentsOf = (page: PublicPage) =>
  page.components.map((component, at) => componentOf(component, at + 1))

const componentOf = (component: PublicComponent, position: number) => ({
  id: component.id,
  name: component.displayName,
  status: componentStatuses[component.state],
  created_at: component.createdAt,
  updated_at: component.changedAt,
  position,
  description: component.description,
  showcase: false,
  start_date: component.createdAt.slice(0, 10),
  group_id: null,
  page_id: component.statusPageId,
  group: false,
  only_show_if_degraded: false,
  x_state: component.state,
})

const isUnresolved = ({ resolvedAt }: Incident): boolean => resolvedAt === null

const incidentsOf = (page: PublicPage, which: (incident: Incident) => boolean = () => true) =>
  page.incidents.filter(which).map((incident) => incidentOf(page, incident))

const incidentOf = (page: PublicPage, incident: Incident) => ({
  id: incident.id,
  name: incident.title,
  status: incident.status,
  created_at: incident.startedAt,
  updated_at: incidentUpdatedAt(incident),
  monitoring_at: incident.updates.find(({ status }) => status === 'monitoring')?.createdAt ?? null,
  resolved_at: incident.resolvedAt,
  // a quorum of regions measured an automatic incident; a manual one has no severity
  impact: incident.source === 'automatic' ? 'major' : 'minor',
  shortlink: `${page.page.url}#incident-${incident.id}`,
  started_at: incident.startedAt,
  page_id: incident.statusPageId,
  incident_updates: incident.updates.map((update) => ({
    id: update.id,
    status: update.status,
    body: update.body,
    incident_id: incident.id,
    created_at: update.createdAt,
    updated_at: update.createdAt,
    display_at: update.createdAt,
    affected_components: null,
    deliver_notifications: true,
  })),
  components: componentsOf(page).filter((_, at) => isAbout(incident, page.components[at]?.checkId ?? '')),
  reminder_intervals: null,
})

const isAbout = ({ checkId, members = [] }: Incident, id: string): boolean =>
  checkId === id || members.some((member) => member.checkId === id)

const maintenanceStatuses = {
  scheduled: 'scheduled',
  active: 'in_progress',
  ended: 'completed',
} as const satisfies Record<MaintenanceState, string>

const maintenancesOf = (page: PublicPage, which: (state: MaintenanceState) => boolean = () => true) =>
  page.windows.filter(({ state }) => which(state)).map((window) => maintenanceOf(page, window))

const maintenanceOf = (page: PublicPage, window: MaintenanceWindow) => {
  const status = maintenanceStatuses[window.state]
  return {
    id: window.id,
    name: window.title,
    status,
    created_at: window.createdAt,
    updated_at: window.createdAt,
    monitoring_at: null,
    resolved_at: window.state === 'ended' ? window.endsAt : null,
    impact: 'maintenance',
    shortlink: `${page.page.url}#maintenance-${window.id}`,
    started_at: window.startsAt,
    page_id: window.statusPageId,
    incident_updates: [
      {
        id: window.id,
        status,
        body: window.body,
        incident_id: window.id,
        created_at: window.createdAt,
        updated_at: window.createdAt,
        display_at: window.createdAt,
        affected_components: null,
        deliver_notifications: true,
      },
    ],
    components: componentsOf(page).filter(({ id }) => coversId(window, id)),
    scheduled_for: window.startsAt,
    scheduled_until: window.endsAt,
    reminder_intervals: null,
  }
}

/** A window without components covers the whole page. */
const coversId = ({ componentIds }: MaintenanceWindow, id: string): boolean =>
  componentIds.length === 0 || componentIds.includes(id)

/** The values of Statuspage's public API, version 2. */
export type StatuspageComponentStatus =
  | 'operational'
  | 'degraded_performance'
  | 'partial_outage'
  | 'major_outage'
  | 'under_maintenance'

export type StatuspageIndicator = 'none' | 'minor' | 'major' | 'critical' | 'maintenance'

/**
 * Statuspage has no value for missing data. The mildest unhealthy one stands for it, and `x_state` has the
 * exact state: missing data must never appear as operational.
 */
export const componentStatuses = {
  operational: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
  maintenance: 'under_maintenance',
  no_data: 'degraded_performance',
} as const satisfies Record<ComponentState, StatuspageComponentStatus>

type PageStatus = { indicator: StatuspageIndicator; description: string; x_state: StatusPageState }

/** The overall status of a page. It is a major system outage only when every component is down. */
export const pageStatus = (
  state: StatusPageState,
  components: readonly { state: ComponentState }[],
): PageStatus => ({ ...rollup(state, components), x_state: state })

const rollup = (
  state: StatusPageState,
  components: readonly { state: ComponentState }[],
): Omit<PageStatus, 'x_state'> => {
  switch (state) {
    case 'operational':
      return { indicator: 'none', description: 'All Systems Operational' }
    case 'degraded':
      return { indicator: 'minor', description: 'Degraded Performance' }
    case 'down':
      return components.every((component) => component.state === 'down')
        ? { indicator: 'critical', description: 'Major System Outage' }
        : { indicator: 'major', description: 'Partial System Outage' }
    case 'maintenance':
      return { indicator: 'maintenance', description: 'Service Under Maintenance' }
    case 'no_data':
      return { indicator: 'minor', description: 'No Data' }
    default:
      return state satisfies never
  }
}
