import type { Me } from '@probe-mesh/contracts/account/account'
import type { CheckRow as ListedCheck, CheckRows } from '@probe-mesh/contracts/check/check-row'
import type { CheckDetail, StoredReading } from '@probe-mesh/contracts/check/check'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { withDetail, withFlip, withListed, withReading } from './check-row.ts'
import { reduceIntent, type Intent } from './intent.ts'
import { incidentsMax, readingsMax, type CheckRow, type Incident, type TopState } from './state.ts'

/** What the feed reports. `requestedMs` is our clock before the call. */
export type FeedEvent =
  | {
      kind: 'listed'
      checks: readonly ListedCheck[]
      vantage: CheckRows['vantage']
      nothingMeasured?: boolean
      requestedMs: number
      skewMs: number
    }
  | { kind: 'detailed'; detail: CheckDetail; requestedMs: number }
  | { kind: 'read'; checkId: string; readings: readonly StoredReading[]; requestedMs: number }
  | { kind: 'gone'; checkId: string }
  | { kind: 'account'; me: Me }
  | { kind: 'events'; events: readonly AccountEvent[] }
  | { kind: 'connection'; state: 'connected' | 'reconnecting'; why: string | null }
  | { kind: 'reads'; waiting: number; problem: string | null }
  | { kind: 'dropped'; count: number }
  /** `act`: what is done to it; null: it is measured. */
  | { kind: 'runStarted'; checkId: string; act: string | null }
  /** The list is behind what was done. */
  | { kind: 'acted' }
  | { kind: 'runEnded'; said: string; isRefused: boolean }

export type TopEvent = FeedEvent | Intent

/** How long the result of a run is shown. */
const toldMs = 15_000

/**
 * The state after an event. Late and repeated events never override newer ones.
 * @param nowMs by our clock
 */
export const reduce = (state: TopState, event: TopEvent, nowMs: number): TopState => {
  switch (event.kind) {
    case 'listed':
      return withList(state, event)
    case 'detailed':
      return {
        ...withRow(state, event.detail.id, (row) => withDetail(row, event.detail, event.requestedMs)),
        vantage: event.detail.vantage,
      }
    case 'read': {
      const read = withRow(state, event.checkId, (row) => event.readings.reduce(withReading, row))
      const { opened } = read
      if (opened?.checkId !== event.checkId) return read
      const readings = mergeReadings(opened.readings, event.readings)
      return { ...read, opened: { ...opened, readings, readMs: event.requestedMs } }
    }
    case 'gone': {
      const checks = new Map(state.checks)
      checks.delete(event.checkId)
      const opened = state.opened?.checkId === event.checkId ? null : state.opened
      return { ...state, checks, opened }
    }
    case 'account': {
      const { account, regions } = event.me
      return { ...state, account: { name: account.name, tier: account.tier, regions } }
    }
    case 'events':
      return withEvents(state, event.events, nowMs)
    case 'connection':
      return withConnection(state, event, nowMs)
    case 'reads':
      return { ...state, reads: { waiting: event.waiting, problem: event.problem } }
    case 'dropped':
      return { ...state, dropped: state.dropped + event.count }
    case 'runStarted':
      return { ...state, run: { kind: 'running', checkId: event.checkId, act: event.act } }
    case 'acted':
      return { ...state, isUnlisted: true }
    case 'runEnded': {
      const { said, isRefused } = event
      return { ...state, run: { kind: 'ended', said, isRefused, untilMs: nowMs + toldMs } }
    }
    default:
      return reduceIntent(state, event, nowMs)
  }
}

const withRow = (state: TopState, id: string, change: (row: CheckRow) => CheckRow): TopState => {
  const row = state.checks.get(id)
  if (row === undefined) return state
  const next = change(row)
  return next === row ? state : { ...state, checks: new Map(state.checks).set(id, next) }
}

const withList = (
  state: TopState,
  { checks, vantage, nothingMeasured = false, requestedMs, skewMs }: Extract<FeedEvent, { kind: 'listed' }>,
): TopState => {
  if (state.listedMs !== null && requestedMs < state.listedMs) return state
  const rows = checks.map(
    (check) => [check.id, withListed(state.checks.get(check.id), check, requestedMs)] as const,
  )
  const listed = new Map(rows)
  const opened = state.opened !== null && listed.has(state.opened.checkId) ? state.opened : null
  return {
    ...state,
    checks: listed,
    vantage,
    nothingMeasured,
    opened,
    listedMs: requestedMs,
    knownMs: Math.max(state.knownMs, requestedMs),
    isUnlisted: false,
    skewMs,
  }
}

/** Handles many events at once, so that thousands of checks are copied once per frame. */
const withEvents = (state: TopState, events: readonly AccountEvent[], nowMs: number): TopState => {
  const checks = new Map(state.checks)
  let { incidents, isUnlisted } = state
  const ofOpened: StoredReading[] = []
  for (const event of events) {
    if (event.kind === 'incident') {
      incidents = withIncident(incidents, event)
      continue
    }
    const id = event.kind === 'flip' ? event.flip.checkId : event.checkId
    const row = checks.get(id)
    if (row === undefined) {
      isUnlisted = true
      continue
    }
    if (event.kind === 'flip') {
      checks.set(id, withFlip(row, event.flip, nowMs))
      // a pause is no event: only these flips tell of it, and of its end
      isUnlisted ||= event.flip.to === 'stale' || row.paused
    } else {
      checks.set(id, withReading(row, event.reading))
      if (state.opened?.checkId === id) ofOpened.push(event.reading)
    }
  }
  const opened =
    state.opened === null || ofOpened.length === 0
      ? state.opened
      : { ...state.opened, readings: mergeReadings(state.opened.readings, ofOpened) }
  return { ...state, checks, incidents, opened, isUnlisted }
}

/** One entry per incident, newest update first; an older update changes nothing. */
const withIncident = (incidents: readonly Incident[], update: Incident): readonly Incident[] => {
  const updatedAtMs = ({ update }: Incident): number => Date.parse(update.createdAt)
  const known = incidents.find(({ incident }) => incident.id === update.incident.id)
  if (known !== undefined && updatedAtMs(known) > updatedAtMs(update)) return incidents
  return [update, ...incidents.filter((one) => one !== known)]
    .toSorted((one, other) => updatedAtMs(other) - updatedAtMs(one))
    .slice(0, incidentsMax)
}

const withConnection = (
  state: TopState,
  { state: next, why }: Extract<FeedEvent, { kind: 'connection' }>,
  nowMs: number,
): TopState => {
  const { connection, listedMs } = state
  const wasTold =
    connection.state === 'connected' && listedMs !== null && listedMs >= (connection.connectedMs ?? 0)
  return {
    ...state,
    knownMs: wasTold ? nowMs : state.knownMs,
    connection: {
      state: next,
      sinceMs: next === connection.state ? connection.sinceMs : nowMs,
      connectedMs: next === 'connected' ? nowMs : connection.connectedMs,
      why,
    },
  }
}

/** Newest first, without duplicates, at most `readingsMax`. */
const mergeReadings = (
  known: readonly StoredReading[],
  more: readonly StoredReading[],
): readonly StoredReading[] => {
  const byId = new Map([...known, ...more].map((reading) => [idOf(reading), reading]))
  return [...byId.values()]
    .toSorted((one, other) => Date.parse(other.measuredAt) - Date.parse(one.measuredAt))
    .slice(0, readingsMax)
}

const idOf = ({ region, slot, kind, measuredAt }: StoredReading): string =>
  kind === 'scheduled' ? `${region} ${slot}` : `${region} ${slot} ${kind} ${measuredAt}`
