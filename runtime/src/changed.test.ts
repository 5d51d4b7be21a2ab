import { expect, test } from 'vitest'
import { changed } from './changed.ts'

test('changes the given fields, including null, and keeps missing and undefined ones', () => {
  const record: { a: number; b: string | null; c: boolean } = { a: 1, b: 'b', c: false }
  expect(changed(record, { a: 2 })).toEqual({ a: 2, b: 'b', c: false })
  expect(changed(record, { a: undefined, b: null, c: true })).toEqual({ a: 1, b: null, c: true })
  expect(changed(record, {})).toEqual(record)
})
