import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { CheckWithState } from '../check-record/check-record.ts'

/** What a page shows of itself, as its owner set it. */
export type StatusPageLook = Pick<
  StatusPage,
  'title' | 'description' | 'logo' | 'accentColor' | 'themePreset' | 'font' | 'locale' | 'links'
>

/** A status page as it is stored. Times are Unix milliseconds. */
export type StatusPageRecord = StatusPageLook & {
  id: string
  accountId: string
  name: string
  /** Of all accounts' pages, the only one with it. */
  slug: string
  createdAtMs: number
  updatedAtMs: number
}

/** A check published on a page, as it is stored. */
export type ComponentRecord = {
  id: string
  accountId: string
  statusPageId: string
  checkId: string
  displayName: string
  description: string | null
  createdAtMs: number
  updatedAtMs: number
}

/** What the state of a component follows from. */
export type PublishedCheck = Pick<
  CheckWithState,
  'type' | 'paused' | 'regions' | 'intervalSeconds' | 'state'
>

/** A component with the check that it publishes. */
export type PublishedComponent = ComponentRecord & { check: PublishedCheck }

/** What a new page looks like where nothing is said. */
export const plainLook: StatusPageLook = {
  title: null,
  description: null,
  logo: null,
  accentColor: null,
  themePreset: 'system',
  font: 'system',
  locale: 'en',
  links: [],
}

/** Short enough that a UUID without hyphens still fits behind it (contracts, Slug: 63). */
const charactersMax = 30

/** The slug that a name makes: `Acme, Inc.` is `acme-inc`. A name without letters or digits is `status`. Pure. */
export const slugOf = (name: string): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, charactersMax).replace(/-$/, '')
  return slug === '' ? 'status' : slug
}

/** Where a page is shown, below the public address. */
export const pagePath = (slug: string): string => `/status/${slug}`

/** Where a page tells of one incident. @param publicUrl without a slash at its end */
export const incidentUrl = (publicUrl: string, slug: string, incidentId: string): string =>
  `${publicUrl}${pagePath(slug)}#incident-${incidentId}`

/** Where a page tells of one maintenance window. */
export const maintenanceUrl = (publicUrl: string, slug: string, windowId: string): string =>
  `${publicUrl}${pagePath(slug)}#maintenance-${windowId}`

/** Shows a button, and ends the subscription when it is posted to. */
export const unsubscribeUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/subscriptions/unsubscribe/${token}`
