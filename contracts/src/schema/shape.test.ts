import { expect, test } from 'vitest'
import { z } from 'zod'
import { hasShape } from './shape.ts'

const Item = z.object({ id: z.string(), note: z.string().optional(), at: z.string().nullable() })

test.each([
  [Item, { id: 'a', at: null }, true],
  [Item, { id: 7, at: 'what a newer API says', more: 1 }, true],
  [Item, { id: 'a' }, true],
  [Item, { note: 'a' }, false],
  [Item, { status: 'ok' }, false],
  [Item, null, false],
  [Item, 'ok', false],
  [Item.nullable(), null, true],
  [z.union([Item, z.object({ items: z.array(Item) })]), { items: [] }, true],
  [z.union([Item, z.object({ items: z.array(Item) })]), {}, false],
] as const)('%# tells an answer by half of its required fields', (schema, value, expected) => {
  expect(hasShape(schema, value)).toBe(expected)
})
