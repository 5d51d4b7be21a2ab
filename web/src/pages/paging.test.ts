import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { textOf } from '@probe-mesh/runtime/html'
import { pageLinks, partOf, rowsPerPage } from './paging.ts'

test('the pages of a list together are the whole list, for any length', () => {
  forAll([fc.nat({ max: 450 })], (length) => {
    const rows = Array.from({ length }, (_, index) => index)
    const { last, total } = partOf(rows, null)
    const parts = Array.from({ length: last }, (_, at) => partOf(rows, String(at + 1)))
    expect(parts.flatMap((part) => part.rows)).toEqual(rows)
    expect(total).toBe(length)
    for (const part of parts) expect(part.rows.length).toBeLessThanOrEqual(rowsPerPage)
  })
})

test.each([
  [null, 1],
  ['2', 2],
  ['3', 3],
  ['4', 3],
  ['0', 1],
  ['-1', 1],
  ['1e3', 1],
  ['999999999999', 1],
  ['<', 1],
])('asked for part %j of three, part %i is shown', (asked, number) => {
  const rows = Array.from({ length: 2 * rowsPerPage + 1 }, (_, index) => index)
  expect(partOf(rows, asked).number).toBe(number)
})

test('a page links to the pages before and after it, with the search', () => {
  const rows = Array.from({ length: 250 }, (_, index) => index)
  const links = (asked: string) => {
    const made = pageLinks(partOf(rows, asked), '/list', { q: 'a&b' })
    return made === null ? null : textOf(made)
  }
  expect(links('2')).toContain('<a href="/list?q=a%26b&amp;page=1">Before</a>')
  expect(links('2')).toContain('<a href="/list?q=a%26b&amp;page=3">After</a>')
  expect(links('1')).not.toContain('Before')
  expect(links('3')).not.toContain('After')
  expect(pageLinks(partOf([1], null), '/list', {})).toBeNull()
})
