import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { jsonRows } from './tables.ts'

test('JSON has a line for each record, and the same value', () => {
  const value = { a: 1, rows: [{ b: [2, 3], c: { d: 4 } }, { b: [] }], none: undefined }
  expect(jsonRows(value)).toBe(`{
 "a": 1,
 "rows": [
  {"b":[2,3],"c":{"d":4}},
  {"b":[]}
 ]
}`)
  const isKept = (any: unknown) => expect(JSON.parse(jsonRows(any))).toEqual(any)
  forAll([fc.jsonValue()], { seed: 1 }, (any) => void isKept(any))
})
