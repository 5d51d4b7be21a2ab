import fc from 'fast-check'
import { forAll } from '../../../testing/for-all.ts'
import { expect, test } from 'vitest'
import { identifier, literal } from './engine.ts'
import { hasSecondStatement, isInsert } from './request.ts'

test.each([
  ['insert into t values (1)', true],
  ['  \n-- a note\n/* and\nanother */ INSERT INTO t FORMAT RowBinary\n\u0000', true],
  ['select 1', false],
  ['-- insert into t\nselect 1', false],
  ['inserted', false],
  ['', false],
])('recognises an insert: %j is %j', (text, expected) => {
  expect(isInsert(Buffer.from(text))).toBe(expected)
})

test.each([
  ['select 1', false],
  ['select 1;', false],
  ['select 1; -- that was it\n ;', true],
  ['select 1; -- that was it', false],
  ['select 1;\n/* nothing */ ', false],
  ['select 1; select 2', true],
  ["select ';' as a, `;`, \";\", 'it''s \\'; here'", false],
  ["select 'open; x", true],
  ['select 1 /* ; */ -- ;\n', false],
  ['', false],
])('recognises a second statement: %j is %j', (text, expected) => {
  expect(hasSecondStatement(text)).toBe(expected)
})

test('escapes quotes in quoted text', () => {
  forAll([fc.string({ unit: 'binary' })], (text) => {
    expect(hasSecondStatement(`select ${literal(text)}`)).toBe(false)
    expect(hasSecondStatement(`use ${identifier(text)}`)).toBe(false)
    expect(literal(`${text}'; drop`)).not.toMatch(/[^\\](\\\\)*'; drop/)
  })
})
