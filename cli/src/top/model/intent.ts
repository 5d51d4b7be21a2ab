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
    case 'move': {
      const { rows, cursor } = arrange(state, nowMs + state.skewMs)
      const place = Math.max(0, Math.min(cursor + intent.by, rows.length - 1))
      const selected = rows[place]?.row.id ?? null
      const isElsewhere = state.opened !== null && state.opened.checkId !== selected
      const opened = isElsewhere && selected !== null ? openedNow(selected) : state.opened
      return { ...state, selected, opened }
    }
    case 'filter': {
      const filter = intent.text.slice(0, filterCharactersMax)
      return { ...state, filter, isFiltering: intent.isTyping }
    }
    case 'command':
      return { ...state, command: intent.text?.slice(0, commandCharactersMax) ?? null }
    case 'sort':
      return { ...state, sort: sorts[(sorts.indexOf(state.sort) + 1) % sorts.length] ?? 'status' }
    case 'focus': {
      const region = regionsOf(state)[intent.place]
      if (region === undefined) return state
      return { ...state, focus: state.focus === region ? null : region }
    }
    case 'open': {
      const checkId = selectedId(state, nowMs)
      if (checkId === null || state.opened !== null) return state
      return { ...state, selected: checkId, opened: openedNow(checkId) }
    }
    case 'back':
      return withoutTopmost(state)
    case 'help':
      return { ...state, isHelpShown: !state.isHelpShown }
    case 'askRun': {
      const checkId = state.opened?.checkId ?? selectedId(state, nowMs)
      if (checkId === null) return state
      return {
        ...state,
        selected: checkId,
        run: { kind: 'asking', checkId, untilMs: nowMs + requestedMs },
      }
    }
    case 'cancelRun':
      return state.run.kind === 'asking' ? { ...state, run: { kind: 'none' } } : state
    default:
      return intent satisfies never
  }
}

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
