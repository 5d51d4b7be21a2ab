import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isNoneUp, isUnconfirmed, nextStatus, statusReason, type Trigger } from './aggregate.ts'
import { staleAfterMs } from './freshness.ts'
import { nextRegionState } from './region-state.ts'
import { countsUntilMs, regionViews, type RegionView } from './region-status.ts'
import { comesAndGoes } from './spell.ts'
import {
  newRegionState,
  withIgnored,
  type CheckSchedule,
  type CheckState,
  type RegionState,
} from './state.ts'
import { countSuspects, weighedAtMs } from './suspects.ts'
import type { ObservedReading } from './withdraw.ts'

/** A status change without an id yet; `from` and `to` are equal if only a mark changes. */
export type StatusChange = {
  from: CheckStatus
  to: CheckStatus
  reason: string | null
  atMs: number
  /** The check fails, but too few regions may vote for `down`; absent means no. */
  unconfirmed?: boolean
  /** The check is degraded and no region sees it up; absent means no. */
  noneUp?: boolean
}

/** The result of an observation: the new state, the flips in order, and the regions to confirm now. */
export type Assessment = {
  state: CheckState
  changes: StatusChange[]
  /** Regions to measure again at once: all of them, after a first failure and a first good reading. */
  confirm: readonly Region[]
}

/**
 * Observes one reading (S-710, S-906). A repeated reading, or one that is older than the region's state,
 * changes nothing. A reading that is no longer fresh updates the region but flips nothing, and one of a region that
 * is not configured is only known from then on.
 */
export const observeReading = (
  state: CheckState,
  schedule: CheckSchedule,
  reading: ObservedReading,
  nowMs: number,
): Assessment => {
  const before = state.regions[reading.region] ?? newRegionState
  const measuredAt = Math.min(reading.measuredAt, nowMs)
  if (!schedule.regions.includes(reading.region)) {
    const ignored = withIgnored(before, measuredAt)
    if (ignored === before) return unchanged(state)
    return unchanged({ ...state, regions: { ...state.regions, [reading.region]: ignored } })
  }
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  const after = nextRegionState(before, reading, { measuredAt, nowMs }, schedule)
  if (after === before) return unchanged(state)
  const seen = { ...state.regions, [reading.region]: after }
  if (reading.verdict === 'unmeasured') {
    return remark({ ...state, regions: seen }, schedule, measuredAt, nowMs)
  }
  const late = nowMs - measuredAt > staleAfter
  const regions = late ? seen : countSuspects(seen, schedule, nowMs)
  const isHeld = reading.verdict === 'down' && (regions[reading.region]?.suspect ?? null) !== null
  // a reading that waited for evaluation was not silence, however long it waited; a held-back reading does
  // not end silence
  const gap = silenceBefore(state, schedule, isHeld && !late ? nowMs : measuredAt)
  const settled = gap === null ? state : changeStatus(state, gap)
  const trigger: Trigger = late ? 'none' : isHeld ? 'suspect' : reading.verdict
  const assessed = settle({ ...settled, regions }, schedule, trigger, measuredAt, nowMs)
  return {
    state: assessed.state,
    changes: [...(gap === null ? [] : [gap]), ...assessed.changes],
    confirm: late ? [] : asked(before, after, reading, state, schedule),
  }
}

/** Observes the passing of time: it can make a check `stale`, and a held-back failure count. Nothing else. */
export const observeTime = (state: CheckState, schedule: CheckSchedule, nowMs: number): Assessment => {
  const regions = countSuspects(state.regions, schedule, nowMs)
  if (regions !== state.regions) {
    const counted = settle({ ...state, regions }, schedule, 'down', nowMs, nowMs)
    return { ...counted, confirm: [] }
  }
  const gap = silenceBefore(state, schedule, nowMs)
  if (gap === null) return unchanged(state)
  return { state: changeStatus(state, gap), changes: [gap], confirm: [] }
}

/**
 * Observes a pause: earlier readings no longer describe the target, so the check is stale at once, unless its
 * status is unknown (S-226).
 */
export const observePause = (state: CheckState, nowMs: number): Assessment => {
  if (saysNothing(state)) return unchanged(state)
  const change = {
    from: state.status,
    to: 'stale',
    reason: pausedReason,
    atMs: notBefore(state, nowMs),
  } as const
  return { state: changeStatus(state, change), changes: [change], confirm: [] }
}

/** The reason of a paused check. */
export const pausedReason = 'paused: no region measures it'

/** Whether a status is no statement about the target. */
export const saysNothing = ({ status }: Pick<CheckState, 'status'>): boolean =>
  status === 'stale' || status === 'unknown'

/** The last instant at which any reading counts; null if there is none. */
export const staleAtMs = (state: CheckState, schedule: CheckSchedule): number | null => {
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  let last: number | null = null
  for (const region of schedule.regions) {
    const seen = state.regions[region]
    const untilMs = seen === undefined ? null : countsUntilMs(seen, staleAfter)
    if (untilMs !== null && (last === null || untilMs > last)) last = untilMs
  }
  return last
}

/** When the passing of time next changes the check; Infinity if it does not. */
export const dueAtMs = (state: CheckState, schedule: CheckSchedule, nowMs: number): number => {
  const staleAt = saysNothing(state) ? null : staleAtMs(state, schedule)
  const silentAt = staleAt === null ? Number.POSITIVE_INFINITY : staleAt + 1
  return Math.min(silentAt, weighedAtMs(state.regions, schedule, nowMs))
}

const unchanged = (state: CheckState): Assessment => ({ state, changes: [], confirm: [] })

/**
 * A check with a status about its target but without a fresh region by `atMs` became stale in between, even
 * if no control plane ran: that time never counts as healthy.
 */
const silenceBefore = (state: CheckState, schedule: CheckSchedule, atMs: number): StatusChange | null => {
  if (saysNothing(state)) return null
  const staleAt = staleAtMs(state, schedule)
  if (staleAt === null || atMs <= staleAt) return null
  const at = notBefore(state, staleAt)
  const views = regionViews(state.regions, schedule, atMs)
  const reason = statusReason('stale', views)
  return { from: state.status, to: 'stale', reason, atMs: at, ...marksOf('stale', views, schedule) }
}

/** An unmeasured slot changes no status, only whether a stale check seems to fail. */
const remark = (state: CheckState, schedule: CheckSchedule, atMs: number, nowMs: number): Assessment => {
  if (state.status !== 'stale') return unchanged(state)
  const views = regionViews(state.regions, schedule, nowMs)
  const marks = marksOf('stale', views, schedule)
  if (hasMarks(state, marks)) return unchanged(state)
  const change: StatusChange = {
    from: 'stale',
    to: 'stale',
    reason: statusReason('stale', views),
    atMs: notBefore(state, atMs),
    ...marks,
  }
  return { state: changeStatus(state, change), changes: [change], confirm: [] }
}

const settle = (
  state: CheckState,
  schedule: CheckSchedule,
  trigger: Trigger,
  atMs: number,
  nowMs: number,
): { state: CheckState; changes: StatusChange[] } => {
  const views = regionViews(state.regions, schedule, nowMs)
  const to = nextStatus(state.status, views, trigger, schedule.statusRule)
  const reason = statusReason(to, views, schedule.statusRule)
  // a late reading does not describe the present
  const isSame = trigger === 'none' && to === state.status
  const marks = marksOf(to, views, schedule)
  if (isSame || (to === state.status && hasMarks(state, marks))) {
    const same = state.statusReason === reason ? state : { ...state, statusReason: reason }
    return { state: to === 'down' ? withDownSpells(same) : same, changes: [] }
  }
  const at = notBefore(state, atMs)
  const change = {
    from: state.status,
    to,
    reason,
    atMs: at,
    ...marks,
  }
  const changed = changeStatus(state, change)
  return { state: to === 'down' ? withDownSpells(changed) : changed, changes: [change] }
}

/** After an outage seen by all regions, all of them report its end. */
const withDownSpells = (state: CheckState): CheckState => {
  const known = Object.entries(state.regions)
  if (known.every(([, { spell }]) => spell === undefined || spell.wasDown === true)) return state
  const marked = known.map(([region, { spell, ...held }]) => [
    region,
    spell === undefined ? held : { ...held, spell: { ...spell, wasDown: true } },
  ])
  return { ...state, regions: Object.fromEntries(marked) }
}

/** A flip is never earlier than the one before it. */
const notBefore = ({ statusSinceMs, markedAtMs = 0 }: CheckState, atMs: number): number =>
  Math.max(atMs, statusSinceMs ?? 0, markedAtMs)

/** The marks of a status; false ones are absent. */
type Marks = Pick<CheckState, 'unconfirmed' | 'noneUp'>

const marksOf = (
  status: CheckStatus,
  views: readonly RegionView[],
  { statusRule }: Pick<CheckSchedule, 'statusRule'>,
): Marks => {
  const unconfirmed = isUnconfirmed(status, views, statusRule)
  const noneUp = isNoneUp(status, views)
  // nearly always
  if (!unconfirmed && !noneUp) return noMarks
  return { ...(unconfirmed && { unconfirmed }), ...(noneUp && { noneUp }) }
}
const noMarks: Marks = Object.freeze({})

const hasMarks = (state: Marks, { unconfirmed, noneUp }: Marks): boolean =>
  (state.unconfirmed === true) === (unconfirmed === true) && (state.noneUp === true) === (noneUp === true)

const changeStatus = (
  { unconfirmed: _unconfirmed, noneUp: _noneUp, markedAtMs: _markedAtMs, ...state }: CheckState,
  change: StatusChange,
): CheckState => ({
  ...state,
  status: change.to,
  statusReason: change.reason,
  statusSinceMs: change.from === change.to ? state.statusSinceMs : change.atMs,
  version: state.version + 1,
  ...(change.unconfirmed === true && { unconfirmed: true }),
  ...(change.noneUp === true && { noneUp: true }),
  ...(change.from === change.to && { markedAtMs: change.atMs }),
})

/**
 * The regions that must confirm a reading. A region that starts to fail requests all, including itself, so
 * that one reading is never decisive and all regions report about the same time. While failures come and go,
 * each failed slot requests all, so that an outage everywhere is found, and so does a good slot of a failing
 * region. A region that recovers in a confirmation gets one more request, since recovery takes two good
 * readings.
 */
const asked = (
  before: RegionState,
  after: RegionState,
  reading: ObservedReading,
  state: CheckState,
  schedule: CheckSchedule,
): readonly Region[] => {
  const isAnswer = reading.kind === 'confirmation'
  if (reading.verdict === 'down') {
    const isNew = (after.suspect ?? null) !== null
    // if it fails anyway, the next good region may have its slot only later
    const isOfSpell = comesAndGoes(after.spell, schedule.intervalSeconds, reading.measuredAt)
    return (isNew || isOfSpell) && !isAnswer && state.status !== 'down' ? schedule.regions : []
  }
  if (reading.verdict !== 'up' || !before.failing || !after.failing || after.goods !== 1) return []
  return isAnswer ? [reading.region] : schedule.regions
}
