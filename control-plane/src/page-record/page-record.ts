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
