import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { confirmedMinutesMax, confirmedTag, tagOf } from './page-validator.ts'

const start = Date.parse('2026-11-20T12:00:30.000Z')
const at = (revision: string, minutes: number) => ({
  revision,
  asOf: new Date(start + minutes * 60_000).toISOString(),
})

test('a copy of the same revision is confirmed by its own tag until its data is ten minutes old', () => {
  forAll([fc.integer({ min: -30, max: 30 }), fc.boolean()], (minutes, isSame) => {
    const tag = tagOf(at('a-revision_1', 0))
    const now = at(isSame ? 'a-revision_1' : 'another', minutes)
    const isFresh = minutes >= 0 && minutes <= confirmedMinutesMax
    expect(confirmedTag(tag, now)).toBe(isSame && isFresh ? tag : null)
  })
})

test('one of several tags is enough, and a proxy may have dropped the weak prefix', () => {
  const now = at('r', 0)
  const tag = tagOf(now)
  expect(confirmedTag(`"other", ${tag}`, now)).toBe(tag)
  expect(confirmedTag(tag.replace('W/', ''), now)).toBe(tag.replace('W/', ''))
})

test.each([undefined, '', '*', '"r"', '"r."', 'r.1', '"r.zzzzzzzzz"', '"r.-1"'])(
  '%j confirms nothing',
  (tag) => {
    expect(confirmedTag(tag, at('r', 0))).toBeNull()
  },
)
