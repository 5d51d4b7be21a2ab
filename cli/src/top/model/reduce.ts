import type { Check, CheckDetail, StoredReading } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { withDetail, withFlip, withListed, withReading } from './check-row.ts'
import { reduceIntent } from './intent.ts'
import type { Intent } from './intent.ts'
import { mergeReadings } from './readings.ts'
import { incidentsMax } from './state.ts'
import type { CheckRow, Incident, TopState } from './state.ts'

/** What the feed learns. Instants that end in `askedMs` are of the clock here, before the call. */
export type FeedEvent =
  | { kind: 'listed'; checks: readonly Check[]; askedMs: number; skewMs: number }
  | { kind: 'detailed'; detail: CheckDetail; askedMs: number }
  | { kind: 'read'; checkId: string; readings: readonly StoredReading[]; askedMs: number }
  | { kind: 'gone'; checkId: string }
  | { kind: 'account'; me: Me }
  | { kind: 'told'; events: readonly AccountEvent[] }
  | { kind: 'connection'; state: 'connected' | 'reconnecting'; why: string | null }
  | { kind: 'reads'; waiting: number; problem: string | null }
  | { kind: 'dropped'; count: number }
  | { kind: 'runStarted'; checkId: string }
  | { kind: 'runEnded'; said: string; isRefused: boolean }

export type TopEvent = FeedEvent | Intent

/** How long the end of a run is told. */
const toldMs = 15_000

/**
 * The state after an event. Late and repeated events change nothing that is newer.
 * @param nowMs by the clock here
 */
export const reduce = (state: TopState, event: TopEvent, nowMs: number): TopState => {
  switch (event.kind) {
    case 'listed':
      return withList(state, event)
    case 'detailed':
      return {
        ...withRow(state, event.detail.id, (row) => withDetail(row, event.detail, event.askedMs)),
        vantage: event.detail.vantage,
      }
    case 'read': {
      const read = withRow(state, event.checkId, (row) => event.readings.reduce(withReading, row))
      const { opened } = read
      if (opened?.checkId !== event.checkId) return read
      const readings = mergeReadings(opened.readings, event.readings)
      return { ...read, opened: { ...opened, readings, readMs: event.askedMs } }
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
    case 'told':
      return withTold(state, event.events, nowMs)
    case 'connection':
      return withConnection(state, event, nowMs)
    case 'reads':
      return { ...state, reads: { waiting: event.waiting, problem: event.problem } }
    case 'dropped':
      return { ...state, dropped: state.dropped + event.count }
    case 'runStarted':
      return { ...state, run: { kind: 'running', checkId: event.checkId } }
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
  { checks, askedMs, skewMs }: Extract<FeedEvent, { kind: 'listed' }>,
): TopState => {
  if (state.listedMs !== null && askedMs < state.listedMs) return state
  const rows = checks.map(
    (check) => [check.id, withListed(state.checks.get(check.id), check, askedMs)] as const,
  )
  const listed = new Map(rows)
  const opened = state.opened !== null && listed.has(state.opened.checkId) ? state.opened : null
  return {
    ...state,
    checks: listed,
    opened,
    listedMs: askedMs,
    heldMs: Math.max(state.heldMs, askedMs),
    isUnlisted: false,
    skewMs,
  }
}

/** Many at once, so that thousands of checks are copied once a frame and not once an event. */
const withTold = (state: TopState, events: readonly AccountEvent[], nowMs: number): TopState => {
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
    if (event.kind === 'flip') checks.set(id, withFlip(row, event.flip, nowMs))
    else {
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

/** By incident, newest update first; an update that is older than the one known changes nothing. */
const withIncident = (incidents: readonly Incident[], told: Incident): readonly Incident[] => {
  const saidAt = ({ update }: Incident): number => Date.parse(update.createdAt)
  const known = incidents.find(({ incident }) => incident.id === told.incident.id)
  if (known !== undefined && saidAt(known) > saidAt(told)) return incidents
  return [told, ...incidents.filter((one) => one !== known)]
    .toSorted((one, other) => saidAt(other) - saidAt(one))
    .slice(0, incidentsMax)
}

const withConnection = (
  state: TopState,
  { state: next, why }: Extract<FeedEvent, { kind: 'connection' }>,
  nowMs: number,
): TopState => {
  const { connection, listedMs } = state
  const wasTold =
    connection.state === 'connected' &&
    listedMs !== null &&
    listedMs >= (connection.connectedMs ?? 0)
  return {
    ...state,
    heldMs: wasTold ? nowMs : state.heldMs,
    connection: {
      state: next,
      sinceMs: next === connection.state ? connection.sinceMs : nowMs,
      connectedMs: next === 'connected' ? nowMs : connection.connectedMs,
      why,
    },
  }
}
