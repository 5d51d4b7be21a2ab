import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { LogoRecord } from './logos-store.ts'
import type { CheckWithState } from '../check/check-record.ts'

/** The settings of a page that its visitors see. */
type StatusPageLook = Pick<
  StatusPage,
  'title' | 'description' | 'logo' | 'accentColor' | 'themePreset' | 'font' | 'locale' | 'links'
>

/** A status page as it is stored. Times are Unix milliseconds. */
export type StatusPageRecord = StatusPageLook & {
  id: string
  accountId: string
  name: string
  /** Unique over all accounts. */
  slug: string
  /** Shown instead of `logo`. */
  uploadedLogo: LogoRecord | null
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
  /** The place on the page, from 1; null: behind the arranged ones, in order of publication. */
  position: number | null
  /** The group on the page; null: none. */
  groupName: string | null
  createdAtMs: number
  updatedAtMs: number
}

/** The inputs of a component's state. */
export type PublishedCheck = Pick<CheckWithState, 'type' | 'paused' | 'regions' | 'intervalSeconds' | 'state'>

/** A component with the check that it publishes. */
export type PublishedComponent = ComponentRecord & { check: PublishedCheck }

/** The default look of a new page. */
export const plainLook: StatusPageLook & Pick<StatusPageRecord, 'uploadedLogo'> = {
  title: null,
  description: null,
  logo: null,
  uploadedLogo: null,
  accentColor: null,
  themePreset: 'system',
  font: 'system',
  locale: 'en',
  links: [],
}

/** Leaves room for a UUID without hyphens within the limit of 63 characters. */
const charactersMax = 30

/** The slug of a name: `Acme, Inc.` becomes `acme-inc`. A name without letters or digits becomes `status`. */
export const slugOf = (name: string): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, charactersMax).replace(/-$/, '')
  return slug === '' ? 'status' : slug
}

/** The path of a page, relative to the public URL. */
export const pagePath = (slug: string): string => `/status/${slug}`

/** The path of an uploaded logo. */
export const logoPath = (slug: string, { hash, type }: Pick<LogoRecord, 'hash' | 'type'>): string =>
  `${pagePath(slug)}/logo-${hash}.${type}`

/** The address of a page's logo: the uploaded one, else the one that was set. */
export const logoUrl = (
  publicUrl: string,
  { slug, logo, uploadedLogo }: Pick<StatusPageRecord, 'slug' | 'logo' | 'uploadedLogo'>,
): string | null => (uploadedLogo === null ? logo : `${publicUrl}${logoPath(slug, uploadedLogo)}`)

/** The link to an incident on a page. @param publicUrl without a slash at its end */
export const incidentUrl = (publicUrl: string, slug: string, incidentId: string): string =>
  `${publicUrl}${pagePath(slug)}/incidents/${incidentId}`

/** The link to a maintenance window on a page. */
export const maintenanceUrl = (publicUrl: string, slug: string, windowId: string): string =>
  `${publicUrl}${pagePath(slug)}#maintenance-${windowId}`

/** A GET shows a button; a POST ends the subscription. */
export const unsubscribeUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/subscriptions/unsubscribe/${token}`
