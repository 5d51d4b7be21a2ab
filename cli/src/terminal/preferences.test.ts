import { expect, test } from 'vitest'
import { givenColumns, wantsColours } from './preferences.ts'

test.each([
  [{}, null],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: '' }, true],
  [{ FORCE_COLOR: '0' }, false],
  [{ FORCE_COLOR: 'false' }, false],
  [{ CLICOLOR_FORCE: '1' }, true],
  [{ CLICOLOR_FORCE: '0' }, false],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '' }, null],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false],
])('%j asks for colours: %s', (environment: Record<string, string>, expected) => {
  expect(wantsColours(environment)).toBe(expected)
})

test.each([
  ['200', 200],
  ['0', null],
  ['12', null],
  ['wide', null],
  ['', null],
  ['-80', null],
  ['999999', null],
])('COLUMNS=%s gives %s columns', (COLUMNS, expected) => {
  expect(givenColumns({ COLUMNS })).toBe(expected)
})
