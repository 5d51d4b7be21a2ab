import { expect, test } from 'vitest'
import { deriveReadme, withTables } from './readme.ts'

test('the tables of bench/README.md follow from the newest results', async () => {
  // to write them: npm run bench -- derive
  const { written, derived } = await deriveReadme()
  expect(written).toBe(derived)
})

test('bench/README.md has at most 12 KB', async () => {
  const { written } = await deriveReadme()
  expect(Buffer.byteLength(written)).toBeLessThanOrEqual(12_000)
})

test('refuses a table without a place in the document', () => {
  const text = 'a\n\n<!-- derived: x -->\nold\n<!-- end -->\nb'
  const written = 'a\n\n<!-- derived: x -->\n\nnew\n\n<!-- end -->\nb'
  expect(withTables(text, { x: 'new' })).toBe(written)
  expect(withTables(written, { x: 'new' })).toBe(written)
  expect(() => withTables(text, { y: 'new' })).toThrow('no place for y')
})
