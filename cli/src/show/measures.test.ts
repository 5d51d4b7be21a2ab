import { expect, test } from 'vitest'
import { redraw } from '../actions/watch/screen-view.ts'
import { nearestNames } from '../api/named-checks.ts'
import { isUtf8Terminal } from './display.ts'
import { ago, bareMs, duration, percent, time } from './measures.ts'
import { before, nowMs } from './testing.ts'

test.each([
  [-5, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_599, '59 min'],
  [3_600, '1 h'],
  [11_100, '3 h 5 min'],
  [86_399, '23 h 59 min'],
  [86_400, '1 d'],
  [183_600, '2 d 3 h'],
])('shows %s seconds as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test.each([
  [1, '100 %'],
  [0.99999, '99.99 %'],
  [0.9999, '99.99 %'],
  [0.57, '57.00 %'],
  [0, '0.00 %'],
  [null, 'no data'],
])('shows a share of %s as %s: any downtime is below 100 %%', (share, text) => {
  expect(percent(share)).toBe(text)
})

test('shows an age in its largest unit, and an invalid time as unknown', () => {
  expect(ago(before(3_660), nowMs)).toBe('1 h ago')
  expect(ago(before(-30), nowMs)).toBe('0 s ago')
  expect(ago(null, nowMs)).toBe('never')
  expect([time('\u001B[2J'), ago('\u001B[2J', nowMs)]).toEqual(['an unknown time', 'at an unknown time'])
})

test('shows milliseconds with one decimal below 100', () => {
  expect([0, 99.94, 99.95, 1234.4, null].map(bareMs)).toEqual(['0.0', '99.9', '100', '1234', '-'])
})

test.each<[string, string[]]>([
  ['apo', ['api']],
  ['aip', ['api']],
  ['API', ['api']],
  ['check', ['checkout']],
  ['zzz', []],
  ['', []],
])('suggests for %j: %j', (given, names) => {
  expect(nearestNames(given, ['api', 'checkout', 'billing', 'api'])).toEqual(names)
})

test.each([
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LANG: 'C.utf8' }, true],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, false],
  [{ LC_ALL: '', LC_CTYPE: 'de_DE.UTF-8', LANG: 'C' }, true],
  [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, false],
  [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, false],
  [{ WT_SESSION: 'a' }, true],
  [{}, false],
])('uses marks beyond ASCII with %j: %s', (environment, isUtf8) => {
  expect(isUtf8Terminal(environment)).toBe(isUtf8)
})

test('moves up over the previous frame, even after a narrower terminal wrapped it', () => {
  expect(redraw([], ['a', 'b'], 80)).toBe('a\nb\n')
  expect(redraw(['a', 'b'], ['c'], 80)).toBe('\r\u001B[2A\u001B[Jc\n')
  expect(redraw(['x'.repeat(50), '', `\u001B[31m${'y'.repeat(20)}\u001B[39m`], [], 20)).toBe(
    '\r\u001B[5A\u001B[J',
  )
})
