import { Slug } from '@probe-mesh/contracts/schema/text'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { slugOf } from './page-record.ts'

test.each([
  ['Acme', 'acme'],
  ['Acme, Inc.', 'acme-inc'],
  ['  --Acme__2--  ', 'acme-2'],
  ['', 'status'],
  ['日本', 'status'],
  ['a'.repeat(31), 'a'.repeat(30)],
  [`${'a'.repeat(29)} bc`, 'a'.repeat(29)],
])('%j makes %s', (name, slug) => expect(slugOf(name)).toBe(slug))

test('any name gives a valid slug, also with a UUID appended', () => {
  forAll([fc.oneof(fc.string(), fc.string({ unit: 'binary' }))], (name) => {
    const slug = slugOf(name)
    expect(Slug.safeParse(slug).success).toBe(true)
    expect(Slug.safeParse(`${slug}-${'0'.repeat(32)}`).success).toBe(true)
  })
})
