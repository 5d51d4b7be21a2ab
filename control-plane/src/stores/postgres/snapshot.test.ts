import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inReferenceOrder, rowsInCopy } from './snapshot.ts'

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 12 })
/** Tables in an order in which each refers to earlier ones only, and the references. */
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

test('every table stands behind those that it refers to, whatever order they came in', () => {
  fc.assert(
    fc.property(withoutCircles, fc.func(fc.nat()), ({ tables, references }, rank) => {
      const shuffled = tables.toSorted((a, b) => rank(a) - rank(b))
      const ordered = inReferenceOrder(shuffled, references)
      expect(ordered.toSorted()).toEqual(tables.toSorted())
      for (const { table, target } of references) {
        expect(ordered.indexOf(target)).toBeLessThan(ordered.indexOf(table))
      }
    }),
  )
})

test('tables that refer to one another are no bug to be passed over', () => {
  const circle = [
    { table: 'a', target: 'b' },
    { table: 'b', target: 'a' },
  ]
  expect(() => inReferenceOrder(['a', 'b'], circle)).toThrow('a, b refer to one another')
})

test('a reference to what is not copied is no reason to wait', () => {
  expect(inReferenceOrder(['a'], [{ table: 'a', target: 'gone' }])).toEqual(['a'])
})

test('rows are counted by the breaks that COPY writes, not by those within a value', () => {
  expect(rowsInCopy(Buffer.from('1\ta\\nb\n2\tc\n'))).toBe(2)
  expect(rowsInCopy(Buffer.from(''))).toBe(0)
})
