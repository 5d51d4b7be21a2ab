import { hash } from 'node:crypto'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceState, MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { HeadlineLevel, PublicHeadline } from '@probe-mesh/contracts/status-page/headline'
import { groupsOf } from '../component-groups.ts'
import {
  displayName,
  incidentLink,
  incidentUpdatedAt,
  lastChangeAt,
  type PublicComponent,
  type PublicPage,
  type PublicWindow,
} from './public-page.ts'
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

const statusOf = ({ headline, page, components }: PublicPage) =>
  pageStatus(headline, page.state, components.length)

/** Components in order, each group before its own. Places count from 1, on the page or in the group. */
const componentsOf = (page: PublicPage) => {
  let place = 0
  return groupsOf(page.components).flatMap(({ name, state, componentIds }) => {
    const members = page.components.filter(({ id }) => componentIds.includes(id))
    if (name === null) return members.map((component) => componentOf(component, (place += 1)))
    const id = groupIdOf(page.page.id, name)
    return [
      groupOf(page, { id, name, state, members }, (place += 1)),
      ...members.map((component, at) => componentOf(component, at + 1, id)),
    ]
  })
}

const componentOf = (component: PublicComponent, position: number, groupId: string | null = null) => ({
  id: component.id,
  name: component.displayName,
  status: componentStatuses[component.state],
  created_at: component.createdAt,
  updated_at: component.changedAt,
  position,
  description: component.description,
  showcase: false,
  start_date: component.createdAt.slice(0, 10),
  group_id: groupId,
  page_id: component.statusPageId,
  group: false,
  only_show_if_degraded: false,
  x_state: component.state,
})

type Group = { id: string; name: string; state: ComponentState; members: readonly PublicComponent[] }

const groupOf = (page: PublicPage, { id, name, state, members }: Group, position: number) => {
  const created = members.map(({ createdAt }) => createdAt).toSorted()
  const changed = members.map(({ changedAt }) => changedAt).toSorted()
  return {
    id,
    name,
    status: componentStatuses[state],
    created_at: created[0] ?? page.page.updatedAt,
    updated_at: changed.at(-1) ?? page.page.updatedAt,
    position,
    description: null,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: page.page.id,
    group: true,
    only_show_if_degraded: false,
    components: members.map((member) => member.id),
    x_state: state,
  }
}

/** A group is known by its name: the id is that of a UUID of version 8 (RFC 9562). */
const groupIdOf = (pageId: string, name: string): string => {
  const hex = hash('sha256', `${pageId} ${name}`)
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

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
  impact: incident.impact ?? 'minor',
  shortlink: incidentLink(page, incident),
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
  components: componentsOf(page).filter(({ id }) => incident.componentIds?.includes(id)),
  reminder_intervals: null,
})

const maintenanceStatuses = {
  scheduled: 'scheduled',
  active: 'in_progress',
  ended: 'completed',
} as const satisfies Record<MaintenanceState, string>

const maintenancesOf = (page: PublicPage, which: (state: MaintenanceState) => boolean = () => true) =>
  page.windows.filter(({ state }) => which(state)).map((window) => maintenanceOf(page, window))

const maintenanceOf = (page: PublicPage, window: PublicWindow) => {
  const status = maintenanceStatuses[window.state]
  return {
    id: window.id,
    name: window.title,
    status,
    created_at: window.createdAt,
    updated_at: window.changedAt,
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
    components: componentsOf(page).filter(({ id, group }) => !group && coversId(window, id)),
    scheduled_for: window.startsAt,
    scheduled_until: window.endsAt,
    reminder_intervals: null,
  }
}

/** A window without components covers the whole page. */
const coversId = ({ componentIds }: MaintenanceWindow, id: string): boolean =>
  componentIds.length === 0 || componentIds.includes(id)

/** The values of Statuspage's public API, version 2. */
type StatuspageComponentStatus =
  | 'operational'
  | 'degraded_performance'
  | 'partial_outage'
  | 'major_outage'
  | 'under_maintenance'

type StatuspageIndicator = 'none' | 'minor' | 'major' | 'critical' | 'maintenance'

/**
 * Statuspage has no value for missing data. The mildest unhealthy one replaces it, and `x_state` has the
 * exact state: missing data must never appear as operational.
 */
const componentStatuses = {
  operational: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
  maintenance: 'under_maintenance',
  no_data: 'degraded_performance',
} as const satisfies Record<ComponentState, StatuspageComponentStatus>

type PageStatus = { indicator: StatuspageIndicator; description: string; x_state: StatusPageState }

/**
 * The overall status of a page, by its headline, in the words of Statuspage. The indicator is `none` only
 * when all components are measured and operational.
 */
const pageStatus = (
  { level, unmeasured }: Pick<PublicHeadline, 'level' | 'unmeasured'>,
  state: StatusPageState,
  total: number,
): PageStatus => {
  const status = level === 'no_data' && unmeasured < total ? someUnmeasured : statuses[level]
  return { ...status, x_state: state }
}

const someUnmeasured = { indicator: 'minor', description: 'No Data for Some Components' } as const

const statuses = {
  operational: { indicator: 'none', description: 'All Systems Operational' },
  notice: { indicator: 'none', description: 'Operational With an Open Incident' },
  no_data: { indicator: 'minor', description: 'No Data' },
  maintenance: { indicator: 'maintenance', description: 'Service Under Maintenance' },
  degraded: { indicator: 'minor', description: 'Degraded Performance' },
  partial_outage: { indicator: 'major', description: 'Partial System Outage' },
  major_outage: { indicator: 'critical', description: 'Major System Outage' },
} as const satisfies Record<HeadlineLevel, { indicator: StatuspageIndicator; description: string }>
