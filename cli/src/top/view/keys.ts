import type { Key } from 'ink'
import { confirmedRun, selectedId, type Intent } from '../model/intent.ts'
import type { TopState } from '../model/state.ts'

type Action =
  | Intent
  | { kind: 'quit' }
  | { kind: 'run'; checkId: string }
  | { kind: 'act'; checkId: string; line: string }

export type Pressed = Pick<
  Key,
  | 'upArrow'
  | 'downArrow'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'return'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'ctrl'
  | 'meta'
>

const pressesMax = 200
const farthest = Number.MAX_SAFE_INTEGER

export const noKey: Pressed = {
  upArrow: false,
  downArrow: false,
  pageUp: false,
  pageDown: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  backspace: false,
  delete: false,
  ctrl: false,
  meta: false,
}

/**
 * Splits presses that arrived together: a slow line joins several, and a paste is a whole text.
 * Drops every `r` among others, so that pasted text starts no run.
 */
export const pressesOf = (
  input: string,
  key: Pressed,
  isFiltering: boolean,
): (readonly [input: string, key: Pressed])[] => {
  const characters = [...input]
  if (characters.length <= 1 || key.ctrl || key.meta) return [[input, key]]
  return characters.slice(0, pressesMax).flatMap((character) => {
    if (character === '\r' || character === '\n') return [[character, { ...noKey, return: true }]]
    if (character === '\u001b') return [['', { ...noKey, escape: true }]]
    if (character === '\u007f' || character === '\b') return [['', { ...noKey, backspace: true }]]
    return character === 'r' && !isFiltering ? [] : [[character, noKey]]
  })
}

/**
 * What a key does. A write is a run, which needs `r` twice with no other key in between, or a typed act, which needs
 * enter.
 * @param page rows that PgUp and PgDn move by
 */
export const actionsOf = (
  state: TopState,
  input: string,
  key: Pressed,
  { page, nowMs }: { page: number; nowMs: number },
): Action[] => {
  const moved = movement(key, page)
  if (state.command !== null) return typingCommand(state, state.command, input, key, nowMs)
  if (state.isFiltering) return moved ?? typing(state, input, key)
  if (input === 'r' && !key.ctrl && !key.meta) {
    if (state.run.kind === 'running') return []
    const checkId = confirmedRun(state, nowMs)
    return [checkId === null ? { kind: 'askRun' } : { kind: 'run', checkId }]
  }
  return [{ kind: 'cancelRun' }, ...(moved ?? commands(input, key))]
}

const movement = (key: Pressed, page: number): Action[] | null => {
  if (key.upArrow) return [{ kind: 'move', by: -1 }]
  if (key.downArrow) return [{ kind: 'move', by: 1 }]
  if (key.pageUp) return [{ kind: 'move', by: -page }]
  if (key.pageDown) return [{ kind: 'move', by: page }]
  if (key.home) return [{ kind: 'move', by: -farthest }]
  return key.end ? [{ kind: 'move', by: farthest }] : null
}

const commands = (input: string, key: Pressed): Action[] => {
  if (key.escape) return [{ kind: 'back' }]
  if (key.return) return [{ kind: 'open' }]
  if (key.ctrl || key.meta) return []
  if (/^[1-9]$/.test(input)) return [{ kind: 'focus', place: Number(input) - 1 }]
  switch (input) {
    case 'j':
      return [{ kind: 'move', by: 1 }]
    case 'k':
      return [{ kind: 'move', by: -1 }]
    case 'g':
      return [{ kind: 'move', by: -farthest }]
    case 'G':
      return [{ kind: 'move', by: farthest }]
    case '/':
      return [{ kind: 'filter', text: '', isTyping: true }]
    case ':':
      return [{ kind: 'command', text: '' }]
    case 's':
      return [{ kind: 'sort' }]
    case '?':
      return [{ kind: 'help' }]
    case 'q':
      return [{ kind: 'quit' }]
    default:
      return []
  }
}

const typing = ({ filter }: TopState, input: string, key: Pressed): Action[] => {
  if (key.escape) return [{ kind: 'filter', text: '', isTyping: false }]
  if (key.return) return [{ kind: 'filter', text: filter, isTyping: false }]
  if (key.backspace || key.delete) {
    return [{ kind: 'filter', text: [...filter].slice(0, -1).join(''), isTyping: true }]
  }
  const text = typedText(input, key)
  return text === '' ? [] : [{ kind: 'filter', text: filter + text, isTyping: true }]
}

const typedText = (input: string, key: Pressed): string =>
  key.ctrl || key.meta ? '' : input.replace(/\p{C}/gu, '')

const typingCommand = (
  state: TopState,
  command: string,
  input: string,
  key: Pressed,
  nowMs: number,
): Action[] => {
  const close: Action = { kind: 'command', text: null }
  if (key.escape) return [close]
  if (key.return) {
    const checkId = state.opened?.checkId ?? selectedId(state, nowMs)
    const isBusy = state.run.kind === 'running'
    if (command.trim() === '' || checkId === null || isBusy) return [close]
    return [close, { kind: 'act', checkId, line: command }]
  }
  if (key.backspace || key.delete) return [{ kind: 'command', text: [...command].slice(0, -1).join('') }]
  const text = typedText(input, key)
  return text === '' ? [] : [{ kind: 'command', text: command + text }]
}
