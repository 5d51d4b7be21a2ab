import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { inReferenceOrder, rowsInCopy } from './snapshot.ts'

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 12 })
/** Tables that refer only to earlier ones, and the references. */
const withoutCircles = names.chain((tables) =>
  fc.record({
    tables: fc.constant(tables),
    references: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }).map((pairs) =>
      pairs.flatMap(([a, b]) => {
        const [from, to] = [a % tables.length, b % tables.length]
        return from > to ? [{ table: tables[from] ?? '', target: tables[to] ?? '' }] : []
      }),
    ),
  }),
)

test('orders every table after those that it refers to, from any input order', () => {
  forAll([withoutCircles, fc.func(fc.nat())], ({ tables, references }, rank) => {
    const shuffled = tables.toSorted((a, b) => rank(a) - rank(b))
    const ordered = inReferenceOrder(shuffled, references)
    expect(ordered.toSorted()).toEqual(tables.toSorted())
    for (const { table, target } of references) {
      expect(ordered.indexOf(target)).toBeLessThan(ordered.indexOf(table))
    }
  })
})

test('fails for tables that refer to one another', () => {
  const circle = [
    { table: 'a', target: 'b' },
    { table: 'b', target: 'a' },
  ]
  expect(() => inReferenceOrder(['a', 'b'], circle)).toThrow('a, b refer to one another')
})

test('ignores a reference to a table that is not copied', () => {
  expect(inReferenceOrder(['a'], [{ table: 'a', target: 'gone' }])).toEqual(['a'])
})

test('counts rows by the line breaks of COPY, not by those within values', () => {
  expect(rowsInCopy(Buffer.from('1\ta\\nb\n2\tc\n'))).toBe(2)
  expect(rowsInCopy(Buffer.from(''))).toBe(0)
})
