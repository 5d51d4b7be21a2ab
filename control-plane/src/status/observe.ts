import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isNoneUp, isUnconfirmed, nextStatus, statusReason } from './aggregate.ts'
import type { Trigger } from './aggregate.ts'
import { staleAfterMs } from './freshness.ts'
import { nextRegionState } from './region-state.ts'
import { countsUntilMs, regionViews } from './region-status.ts'
import type { RegionView } from './region-status.ts'
import { comesAndGoes } from './spell.ts'
import { newRegionState } from './state.ts'
import type { CheckSchedule, CheckState, RegionState } from './state.ts'
import { countSuspects, weighedAtMs } from './suspects.ts'
import type { ObservedReading } from './withdraw.ts'

/** A status change, before it has an id; `from` and `to` are one where only a mark changes. */
export type StatusChange = {
  from: CheckStatus
  to: CheckStatus
  reason: string | null
  atMs: number
  /** Of a check that fails as far as anybody may say, and is not `down` for want of votes; absent is no. */
  unconfirmed?: boolean
  /** Of a check that is degraded and that no region sees up; absent is no. */
  noneUp?: boolean
}

/** What an observation leads to: the new state, the flips to record in order, whom to ask now. */
export type Assessment = {
  state: CheckState
  changes: StatusChange[]
  /** Regions to ask at once: of a first failure and of a first good reading, all of them. */
  confirm: readonly Region[]
}

/**
 * Takes one reading into account (S-710, S-906). The same reading twice, or
 * one older than what its region already has, changes nothing; one that is no longer fresh fills
 * the region's history and flips nothing.
 */
export const observeReading = (
  state: CheckState,
  schedule: CheckSchedule,
  reading: ObservedReading,
  nowMs: number,
): Assessment => {
  if (!schedule.regions.includes(reading.region)) return unchanged(state)
  const before = state.regions[reading.region] ?? newRegionState
  const measuredAt = Math.min(reading.measuredAt, nowMs)
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  const after = nextRegionState(before, reading, { measuredAt, nowMs }, schedule.intervalSeconds)
  if (after === before) return unchanged(state)
  const seen = { ...state.regions, [reading.region]: after }
  if (reading.verdict === 'unmeasured') {
    return remark({ ...state, regions: seen }, schedule, measuredAt, nowMs)
  }
  const late = nowMs - measuredAt > staleAfter
  const regions = late ? seen : countSuspects(seen, schedule, nowMs)
  const isHeld = reading.verdict === 'down' && (regions[reading.region]?.suspect ?? null) !== null
  // what waited for its judge was no silence, however long it waited; what is weighed ends none
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

/**
 * Takes the passing of time into account: it may make a check `stale`, and a failure count that was weighed
 * until now, and nothing else.
 */
export const observeTime = (
  state: CheckState,
  schedule: CheckSchedule,
  nowMs: number,
): Assessment => {
  const regions = countSuspects(state.regions, schedule, nowMs)
  if (regions !== state.regions) {
    const counted = settle({ ...state, regions }, schedule, 'down', nowMs, nowMs)
    return { ...counted, confirm: [] }
  }
  const gap = silenceBefore(state, schedule, nowMs)
  if (gap === null) return unchanged(state)
  return { state: changeStatus(state, gap), changes: [gap], confirm: [] }
}

/** The last instant at which anything measured counts; null when nothing was measured. */
export const staleAtMs = (state: CheckState, schedule: CheckSchedule): number | null => {
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  const instants = schedule.regions.flatMap((region) => {
    const seen = state.regions[region]
    return (seen === undefined ? null : countsUntilMs(seen, staleAfter)) ?? []
  })
  return instants.length === 0 ? null : Math.max(...instants)
}

/** When time next changes anything of a check; Infinity where it does not. */
export const dueAtMs = (state: CheckState, schedule: CheckSchedule): number => {
  const saysNothing = state.status === 'stale' || state.status === 'unknown'
  const staleAt = saysNothing ? null : staleAtMs(state, schedule)
  return Math.min(staleAt ?? Number.POSITIVE_INFINITY, weighedAtMs(state.regions, schedule))
}

const unchanged = (state: CheckState): Assessment => ({ state, changes: [], confirm: [] })

/**
 * A check that said something about its target but had no fresh region by `atMs` became stale in
 * between, also when nobody was there to see it: that time is never counted as healthy.
 */
const silenceBefore = (
  state: CheckState,
  schedule: CheckSchedule,
  atMs: number,
): StatusChange | null => {
  if (state.status === 'stale' || state.status === 'unknown') return null
  const staleAt = staleAtMs(state, schedule)
  if (staleAt === null || atMs <= staleAt) return null
  const at = notBefore(state, staleAt)
  const views = regionViews(state.regions, schedule, atMs)
  const reason = statusReason('stale', views)
  return { from: state.status, to: 'stale', reason, atMs: at, ...marksOf('stale', views) }
}

/** What was not measured changes no status, but whether a check that is stale seems to fail. */
const remark = (
  state: CheckState,
  schedule: CheckSchedule,
  atMs: number,
  nowMs: number,
): Assessment => {
  if (state.status !== 'stale') return unchanged(state)
  const views = regionViews(state.regions, schedule, nowMs)
  const marks = marksOf('stale', views)
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
  const to = nextStatus(state.status, views, trigger)
  const reason = statusReason(to, views)
  // a late reading says nothing of now
  const isSame = trigger === 'none' && to === state.status
  const marks = marksOf(to, views)
  if (isSame || (to === state.status && hasMarks(state, marks))) {
    const same = { ...state, statusReason: reason }
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

/** What all regions share is told by all of them when it ends. */
const withDownSpells = (state: CheckState): CheckState => {
  const known = Object.entries(state.regions)
  if (known.every(([, { spell }]) => spell === undefined || spell.wasDown === true)) return state
  const marked = known.map(([region, { spell, ...held }]) => [
    region,
    spell === undefined ? held : { ...held, spell: { ...spell, wasDown: true } },
  ])
  return { ...state, regions: Object.fromEntries(marked) }
}

/** A flip never lies before the one that it follows. */
const notBefore = ({ statusSinceMs, markedAtMs = 0 }: CheckState, atMs: number): number =>
  Math.max(atMs, statusSinceMs ?? 0, markedAtMs)

/** What is said of a status besides; what is not so is absent. */
type Marks = Pick<CheckState, 'unconfirmed' | 'noneUp'>

const marksOf = (status: CheckStatus, views: readonly RegionView[]): Marks => ({
  ...(isUnconfirmed(status, views) && { unconfirmed: true }),
  ...(isNoneUp(status, views) && { noneUp: true }),
})

const hasMarks = (state: Marks, { unconfirmed, noneUp }: Marks): boolean =>
  (state.unconfirmed === true) === (unconfirmed === true) &&
  (state.noneUp === true) === (noneUp === true)

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
 * Whom a reading asks. A region that begins to fail asks all, itself as well, so that nobody is accused by one
 * reading and all regions speak of one time, and so does each failure of a slot while failures come and go,
 * amid which an outage everywhere must show; so does a slot that finds a failing region well. A region that
 * recovers by being asked is asked once more: it takes two good readings.
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
    // where it fails anyway, the next region that is well may have its slot only later
    const isOfSpell = comesAndGoes(after.spell, schedule.intervalSeconds, reading.measuredAt)
    return (isNew || isOfSpell) && !isAnswer && state.status !== 'down' ? schedule.regions : []
  }
  if (reading.verdict !== 'up' || !before.failing || !after.failing || after.goods !== 1) return []
  return isAnswer ? [reading.region] : schedule.regions
}
