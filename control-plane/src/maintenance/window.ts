import {
  maintenanceMinutesMax,
  type MaintenanceState,
  type MaintenanceWindow,
  type CreateMaintenanceInput,
} from '@probe-mesh/contracts/maintenance/maintenance'
import type { ComponentRecord } from '../records/status-page/page-record.ts'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'

/** A maintenance window as it is stored. Times are Unix milliseconds. */
export type WindowRecord = {
  id: string
  accountId: string
  statusPageId: string
  title: string
  body: string
  startsAtMs: number
  endsAtMs: number
  /** Whether it covers all components of the page, also later ones. */
  wholePage: boolean
  /** The covered components otherwise, also those that are no longer published. */
  componentIds: readonly string[]
  createdAtMs: number
  /** When it was cancelled before its start; absent: it was not. */
  cancelledAtMs?: number | null
  /** How often it was changed after its announcement; absent: never. */
  revision?: number
  /** When it was changed last; absent or null: never. */
  changedAtMs?: number | null
  /** For the account alone; absent or null: none. */
  note?: string | null
}

/** The start of a window is inclusive and its end exclusive; a cancelled window has ended. */
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

/** Whether a window covers this component, at any time. */
export const coversComponent = (
  window: WindowScope,
  component: Pick<ComponentRecord, 'id' | 'statusPageId'>,
): boolean =>
  window.statusPageId === component.statusPageId &&
  (window.wholePage || window.componentIds.includes(component.id))

/** A window as it is announced: everything that visitors may read. */
export const announcementOf = (window: WindowRecord, nowMs: number): MaintenanceWindow => ({
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
    (window.cancelledAtMs ?? null) === null ? null : new Date(window.cancelledAtMs ?? 0).toISOString(),
})

/** A window as routes of the account return it. */
export const describeWindow = (window: WindowRecord, nowMs: number): MaintenanceWindow => ({
  ...announcementOf(window, nowMs),
  note: window.note ?? null,
})

const minuteMs = 60_000
const windowMsMax = maintenanceMinutesMax * minuteMs

/** Start and end of a window in Unix milliseconds, with all problems. */
type WindowTimes = { startsAtMs: number; endsAtMs: number; problems: FieldProblem[] }

/**
 * The start and end of an input (S-1601). `startsAt` defaults to now and may be in the past, because work may
 * be announced late. The end must be in the future.
 * @param input with exactly one of `endsAt` and `durationMinutes`, which its schema ensures
 */
export const windowTimes = (
  {
    startsAt,
    endsAt,
    durationMinutes = 0,
  }: Pick<CreateMaintenanceInput, 'startsAt' | 'endsAt' | 'durationMinutes'>,
  nowMs: number,
): WindowTimes => {
  const startsAtMs = startsAt ?? nowMs
  const endsAtMs = endsAt ?? startsAtMs + durationMinutes * minuteMs
  const path = endsAt === undefined ? 'durationMinutes' : 'endsAt'
  const problems: FieldProblem[] = []
  if (endsAtMs <= startsAtMs) problems.push({ path, message: 'must end after it starts' })
  if (endsAtMs <= nowMs) problems.push({ path, message: 'must not end in the past' })
  if (endsAtMs - startsAtMs > windowMsMax) {
    problems.push({ path, message: 'must end within 90 days of its start' })
  }
  return { startsAtMs, endsAtMs, problems }
}
