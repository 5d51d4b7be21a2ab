import { expect, test } from 'vitest'
import { derivedDocuments } from './documents.ts'
import { withTables } from './with-tables.ts'

test('every document says what follows from the newest results', async () => {
  for (const { path, derived, written } of await derivedDocuments()) {
    // written anew by: npm run bench -- derive
    expect(written, path).toBe(derived)
  }
})

test('a table without a place in the document is a mistake', () => {
  const text = 'a\n\n<!-- derived: x -->\nold\n<!-- end -->\nb'
  const written = 'a\n\n<!-- derived: x -->\n\nnew\n\n<!-- end -->\nb'
  expect(withTables(text, { x: 'new' }, 'file')).toBe(written)
  expect(withTables(written, { x: 'new' }, 'file')).toBe(written)
  expect(() => withTables(text, { y: 'new' }, 'file')).toThrow('file has no place for y')
})
