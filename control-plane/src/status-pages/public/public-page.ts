import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { PublicHeadline } from '@probe-mesh/contracts/status-page/headline'
import type { WindowRecord } from '../../maintenance/window.ts'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'

/** A component as visitors see it, with the time of its last change. ISO 8601 UTC. */
export type PublicComponent = Component & { createdAt: string; changedAt: string }

/** A window that was not cancelled, with the time of its last change. */
export type PublicWindow = MaintenanceWindow & { changedAt: string }

/**
 * The public content of a page at one instant. Lists are newest first, components in the order of the page.
 */
export type PublicPage = {
  page: StatusPage & { updatedAt: string }
  headline: PublicHeadline
  components: readonly PublicComponent[]
  incidents: readonly Incident[]
  windows: readonly PublicWindow[]
  /** Windows of the last months and all later ones, including cancelled ones. */
  calendar: readonly WindowRecord[]
}

/** The name of a page for its visitors. */
export const displayName = ({ title, name }: Pick<StatusPage, 'title' | 'name'>): string => title ?? name

/** The address of an incident on its page. */
export const incidentLink = ({ page }: Pick<PublicPage, 'page'>, { id }: Pick<Incident, 'id'>): string =>
  `${page.url}/incidents/${id}`

/** The time of the latest change of a page: ISO 8601, which sorts as text. */
export const lastChangeAt = ({ page, components, incidents, windows }: PublicPage): string =>
  [
    page.updatedAt,
    ...components.map(({ changedAt }) => changedAt),
    ...incidents.map(incidentUpdatedAt),
    ...windows.map(({ changedAt }) => changedAt),
  ].reduce((latest, at) => (at > latest ? at : latest))

/** The time of an incident's latest update. */
export const incidentUpdatedAt = ({ updates, startedAt }: Incident): string =>
  updates[0]?.createdAt ?? startedAt
