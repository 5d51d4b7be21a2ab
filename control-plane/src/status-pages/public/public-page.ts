import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'

/** A component as the public sees it: with the instant of its last change. ISO 8601 UTC. */
export type PublicComponent = Component & { createdAt: string; changedAt: string }

/** All that a page says to everybody, at one instant. Lists are newest first, components as published. */
export type PublicPage = {
  page: StatusPage & { updatedAt: string }
  components: readonly PublicComponent[]
  incidents: readonly Incident[]
  windows: readonly MaintenanceWindow[]
}

/** What a page is called by those who read it. */
export const displayName = ({ title, name }: Pick<StatusPage, 'title' | 'name'>): string =>
  title ?? name

/** When a page last said something new: ISO 8601, which sorts as text. */
export const saidAt = ({ page, components, incidents, windows }: PublicPage): string =>
  [
    page.updatedAt,
    ...components.map(({ changedAt }) => changedAt),
    ...incidents.map(incidentUpdatedAt),
    ...windows.map(({ createdAt }) => createdAt),
  ].reduce((latest, at) => (at > latest ? at : latest))

/** When an incident was last told something. */
export const incidentUpdatedAt = ({ updates, startedAt }: Incident): string =>
  updates[0]?.createdAt ?? startedAt
