import { describe, expect, test } from 'vitest'
import { coversComponent, describeWindow, windowState, type WindowRecord } from './window.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const window: WindowRecord = {
  id: 'w',
  accountId: 'a',
  statusPageId: 'p',
  title: 'disks',
  body: 'new ones',
  startsAtMs: t0,
  endsAtMs: t0 + 60_000,
  wholePage: false,
  componentIds: ['c1', 'c2'],
  createdAtMs: t0 - 1,
}

test.each([
  [-1, 'scheduled'],
  [0, 'active'],
  [59_999, 'active'],
  [60_000, 'ended'],
])('%i ms after its start it is %s', (ms, state) => {
  expect(windowState(window, t0 + ms)).toBe(state)
  expect(describeWindow(window, t0 + ms).state).toBe(state)
})

test('a window that ended at its start was never active', () => {
  expect(windowState({ startsAtMs: t0, endsAtMs: t0 }, t0)).toBe('ended')
})

describe('its scope', () => {
  const whole = { ...window, wholePage: true, componentIds: [] }

  test.each([
    ['a component that it names', window, { id: 'c2', statusPageId: 'p' }, true],
    ['another of the page', window, { id: 'c3', statusPageId: 'p' }, false],
    ['any of the page where it is for all', whole, { id: 'c3', statusPageId: 'p' }, true],
    ['one of another page', whole, { id: 'c1', statusPageId: 'q' }, false],
    [
      'nothing when its component was deleted',
      { ...window, componentIds: [] },
      { id: 'c3', statusPageId: 'p' },
      false,
    ],
  ])('%s', (_, scope, component, covered) => {
    expect(coversComponent(scope, component)).toBe(covered)
  })

  test('an empty componentIds in the answer means the whole page', () => {
    expect(describeWindow(whole, t0).componentIds).toEqual([])
    expect(describeWindow(window, t0)).toMatchObject({
      componentIds: ['c1', 'c2'],
      startsAt: '2026-11-20T12:00:00.000Z',
      endsAt: '2026-11-20T12:01:00.000Z',
    })
  })
})
