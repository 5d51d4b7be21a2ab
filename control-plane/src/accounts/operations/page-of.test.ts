import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { pageOf } from './page-of.ts'

type Entry = { id: string; name: string; type: string }
const entry = (id: string): Entry => ({ id, name: `Shop ${id}`, type: Number(id) % 2 === 0 ? 'even' : 'odd' })
const listOf = (count: number): Entry[] => Array.from({ length: count }, (_, index) => entry(String(index)))

const page = (all: readonly Entry[], query: Parameters<typeof pageOf<Entry>>[1]) => {
  const found = pageOf(all, query)
  if (isRefusal(found)) throw new Error(found.message)
  return found
}

test('the pages of a list have each matching entry once, in order', () => {
  forAll([fc.nat(20), fc.integer({ min: 1, max: 7 }), fc.boolean()], (count, limit, isFiltered) => {
    const all = listOf(count)
    const filter = isFiltered ? { type: 'even', name: 'sHOP' } : {}
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const { entries, nextCursor } = page(all, { ...filter, limit, cursor })
      expect(entries.length).toBeLessThanOrEqual(limit)
      ids.push(...entries.map(({ id }) => id))
      cursor = nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(ids).toEqual(all.filter(({ type }) => !isFiltered || type === 'even').map(({ id }) => id))
  })
})

test('without limit and cursor the list is whole', () => {
  expect(page(listOf(3), {})).toEqual({ entries: listOf(3), nextCursor: null })
})

test('the next page misses nothing when the last entry of the page before is deleted', () => {
  const { nextCursor } = page(listOf(5), { limit: 2 })
  const left = listOf(5).filter(({ id }) => id !== '1')
  expect(page(left, { cursor: nextCursor ?? '' }).entries.map(({ id }) => id)).toEqual(['2', '3', '4'])
})

test.each(['', 'x', 'W10', Buffer.from('["0",1]').toString('base64url')])(
  'another text is no cursor: "%s"',
  (cursor) => {
    expect(pageOf(listOf(2), { cursor })).toMatchObject({ refused: 'SV-2001', errors: [{ path: 'cursor' }] })
  },
)
