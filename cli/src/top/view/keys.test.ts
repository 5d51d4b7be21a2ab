import { describe, expect, test } from 'vitest'
import { reduce } from '../model/reduce.ts'
import { checkOf, connected, listed, startMs, stateAfter } from '../testing.ts'
import { actionsOf, noKey, pressesOf, type Pressed } from './keys.ts'

const state = stateAfter([
  [0, connected],
  [0, listed([checkOf('web'), checkOf('api')])],
])
const at = { page: 10, nowMs: startMs }
const press = (of: typeof state, input: string, key: Partial<Pressed> = {}) =>
  actionsOf(of, input, { ...noKey, ...key }, at).filter(({ kind }) => kind !== 'cancelRun')

describe('in the list', () => {
  test.each([
    ['j', {}, { kind: 'move', by: 1 }],
    ['k', {}, { kind: 'move', by: -1 }],
    ['', { downArrow: true }, { kind: 'move', by: 1 }],
    ['', { upArrow: true }, { kind: 'move', by: -1 }],
    ['', { pageDown: true }, { kind: 'move', by: 10 }],
    ['', { pageUp: true }, { kind: 'move', by: -10 }],
    ['G', {}, { kind: 'move', by: Number.MAX_SAFE_INTEGER }],
    ['g', {}, { kind: 'move', by: -Number.MAX_SAFE_INTEGER }],
    ['', { return: true }, { kind: 'open' }],
    ['', { escape: true }, { kind: 'back' }],
    ['/', {}, { kind: 'filter', text: '', isTyping: true }],
    ['3', {}, { kind: 'focus', place: 2 }],
    ['s', {}, { kind: 'sort' }],
    ['?', {}, { kind: 'help' }],
    ['r', {}, { kind: 'askRun' }],
    ['q', {}, { kind: 'quit' }],
  ] as const)('%j %o', (input, key, action) => {
    expect(press(state, input, key)).toEqual([action])
  })

  test.each([['0'], ['R'], ['x'], ['d'], ['y'], [' ']])('%j does nothing', (input) => {
    expect(press(state, input)).toEqual([])
  })
  test('ignores keys with Ctrl or Alt', () => {
    for (const input of 'jkrqsgG/?1') {
      expect(press(state, input, { ctrl: true })).toEqual([])
      expect(press(state, input, { meta: true })).toEqual([])
    }
  })
})

describe('a run', () => {
  const asking = reduce(state, { kind: 'askRun' }, startMs)
  test('starts with a second r, for the check of the first', () => {
    expect(press(asking, 'r')).toEqual([{ kind: 'run', checkId: 'api' }])
  })
  test('is cancelled by every other key', () => {
    for (const input of [...'jkgGs?/1qx ', '']) {
      expect(actionsOf(asking, input, noKey, at)[0]).toEqual({ kind: 'cancelRun' })
    }
  })
  test('asks again after the confirmation expired', () => {
    const late = { ...at, nowMs: startMs + 5_001 }
    expect(actionsOf(asking, 'r', noKey, late)).toEqual([{ kind: 'askRun' }])
  })
  test('does not start while another is running', () => {
    const running = reduce(asking, { kind: 'runStarted', act: null, checkId: 'api' }, startMs)
    expect(press(running, 'r')).toEqual([])
  })
  test('does not start from pasted text', () => {
    expect(pressesOf('rr', noKey, false)).toEqual([])
    expect(pressesOf('r\rr', noKey, false)).toEqual([['\r', { ...noKey, return: true }]])
  })
})

describe('a filter', () => {
  const typing = reduce(state, { kind: 'filter', text: 'we', isTyping: true }, startMs)
  test.each([
    ['b', {}, { kind: 'filter', text: 'web', isTyping: true }],
    ['q', {}, { kind: 'filter', text: 'weq', isTyping: true }],
    ['r', {}, { kind: 'filter', text: 'wer', isTyping: true }],
    ['', { backspace: true }, { kind: 'filter', text: 'w', isTyping: true }],
    ['', { return: true }, { kind: 'filter', text: 'we', isTyping: false }],
    ['', { escape: true }, { kind: 'filter', text: '', isTyping: false }],
  ] as const)('%j %o', (input, key, action) => {
    expect(press(typing, input, key)).toEqual([action])
  })
})

test('handles several presses that arrive together one by one', () => {
  expect(pressesOf('jj\r', noKey, false)).toEqual([
    ['j', noKey],
    ['j', noKey],
    ['\r', { ...noKey, return: true }],
  ])
})
