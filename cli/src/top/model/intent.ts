import { arrange, regionsOf } from './arrange.ts'
import { sorts, type Opened, type TopState } from './state.ts'

/** What a key requests of the view. None of them writes. */
export type Intent =
  | { kind: 'move'; by: number }
  | { kind: 'filter'; text: string; isTyping: boolean }
  | { kind: 'command'; text: string | null }
  | { kind: 'sort' }
  /** By column index, from 0. */
  | { kind: 'focus'; place: number }
  | { kind: 'open' }
  | { kind: 'back' }
  | { kind: 'help' }
  /** Asks for confirmation of a run; a second key in time confirms it. */
  | { kind: 'askRun' }
  | { kind: 'cancelRun' }

const filterCharactersMax = 60
const commandCharactersMax = 200
const requestedMs = 5_000

export const reduceIntent = (state: TopState, intent: Intent, nowMs: number): TopState => {
  switch (intent.kind) {
    case 'move':
      return withMoved(state, intent.by, nowMs)
    case 'filter':
      return { ...state, filter: intent.text.slice(0, filterCharactersMax), isFiltering: intent.isTyping }
    case 'command':
      return { ...state, command: intent.text?.slice(0, commandCharactersMax) ?? null }
    case 'sort':
      return { ...state, sort: sorts[(sorts.indexOf(state.sort) + 1) % sorts.length] ?? 'status' }
    case 'focus':
      return withFocus(state, regionsOf(state)[intent.place])
    case 'open':
      return state.opened === null ? withOpened(state, selectedId(state, nowMs)) : state
    case 'back':
      return withoutTopmost(state)
    case 'help':
      return { ...state, isHelpShown: !state.isHelpShown }
    case 'askRun':
      return withRequest(state, state.opened?.checkId ?? selectedId(state, nowMs), nowMs)
    case 'cancelRun':
      return state.run.kind === 'asking' ? { ...state, run: { kind: 'none' } } : state
    default:
      return intent satisfies never
  }
}

/** Moves the selection; an open check follows it. */
const withMoved = (state: TopState, by: number, nowMs: number): TopState => {
  const { rows, cursor } = arrange(state, nowMs + state.skewMs)
  const place = Math.max(0, Math.min(cursor + by, rows.length - 1))
  const selected = rows[place]?.row.id ?? null
  const isElsewhere = state.opened !== null && state.opened.checkId !== selected
  const opened = isElsewhere && selected !== null ? openedNow(selected) : state.opened
  return { ...state, selected, opened }
}

const withFocus = (state: TopState, region: string | undefined): TopState =>
  region === undefined ? state : { ...state, focus: state.focus === region ? null : region }

const withOpened = (state: TopState, checkId: string | null): TopState =>
  checkId === null ? state : { ...state, selected: checkId, opened: openedNow(checkId) }

const withRequest = (state: TopState, checkId: string | null, nowMs: number): TopState =>
  checkId === null
    ? state
    : { ...state, selected: checkId, run: { kind: 'asking', checkId, untilMs: nowMs + requestedMs } }

const openedNow = (checkId: string): Opened => ({ checkId, readings: [], readMs: null })

/** The selected check. */
export const selectedId = (state: TopState, nowMs: number): string | null => {
  const { rows, cursor } = arrange(state, nowMs + state.skewMs)
  return rows[cursor]?.row.id ?? null
}

const withoutTopmost = (state: TopState): TopState => {
  if (state.isHelpShown) return { ...state, isHelpShown: false }
  if (state.opened !== null) return { ...state, opened: null }
  if (state.filter !== '') return { ...state, filter: '', isFiltering: false }
  return { ...state, focus: null }
}

/** The check whose run is confirmed in time, and no other. */
export const confirmedRun = (state: TopState, nowMs: number): string | null =>
  state.run.kind === 'asking' && nowMs <= state.run.untilMs ? state.run.checkId : null
