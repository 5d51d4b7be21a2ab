import type {
  MaintenanceState,
  MaintenanceWindow,
} from '@probe-mesh/contracts/maintenance/maintenance'
import type { ComponentRecord } from '../page-record/page-record.ts'

/** A maintenance window as it is stored. Times are Unix milliseconds. */
export type WindowRecord = {
  id: string
  accountId: string
  statusPageId: string
  title: string
  body: string
  startsAtMs: number
  endsAtMs: number
  /** It covers whatever the page publishes, now and later. */
  wholePage: boolean
  /** What it covers otherwise, also what has been unpublished since. */
  componentIds: readonly string[]
  createdAtMs: number
  /** When it was cancelled before it began; absent: it was not. */
  cancelledAtMs?: number | null
}

/** A window's first instant belongs to it, its last one does not; one that was cancelled is over. Pure. */
export const windowState = (
  {
    startsAtMs,
    endsAtMs,
    cancelledAtMs = null,
  }: Pick<WindowRecord, 'startsAtMs' | 'endsAtMs' | 'cancelledAtMs'>,
  nowMs: number,
): MaintenanceState => {
  if (nowMs >= endsAtMs || cancelledAtMs !== null) return 'ended'
  return nowMs < startsAtMs ? 'scheduled' : 'active'
}

export type WindowScope = Pick<WindowRecord, 'statusPageId' | 'wholePage' | 'componentIds'>

/** Whether a window is for this component. Pure: says nothing of the time. */
export const coversComponent = (
  window: WindowScope,
  component: Pick<ComponentRecord, 'id' | 'statusPageId'>,
): boolean =>
  window.statusPageId === component.statusPageId &&
  (window.wholePage || window.componentIds.includes(component.id))

/** A window as every route returns it. */
export const describeWindow = (window: WindowRecord, nowMs: number): MaintenanceWindow => ({
  id: window.id,
  statusPageId: window.statusPageId,
  title: window.title,
  body: window.body,
  startsAt: new Date(window.startsAtMs).toISOString(),
  endsAt: new Date(window.endsAtMs).toISOString(),
  state: windowState(window, nowMs),
  componentIds: window.wholePage ? [] : [...window.componentIds],
  createdAt: new Date(window.createdAtMs).toISOString(),
  cancelledAt:
    (window.cancelledAtMs ?? null) === null
      ? null
      : new Date(window.cancelledAtMs ?? 0).toISOString(),
})
