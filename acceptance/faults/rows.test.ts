import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { faultRows } from './rows.ts'

const root = new URL('../../', import.meta.url)

test('lists every fault once, F-01 to F-33', () => {
  const ids = Array.from({ length: 33 }, (_, at) => `F-${String(at + 1).padStart(2, '0')}`)
  expect(faultRows.map(({ id }) => id)).toEqual(ids)
})

test.each(faultRows)('$id cites tests that exist', async ({ proofs, promise, fault }) => {
  expect([fault, promise].every((text) => text.length > 0)).toBe(true)
  expect(proofs.length).toBeGreaterThan(0)
  for (const { file, test: name } of proofs) {
    const text = await readFile(new URL(file, root), 'utf8')
    expect(text, `${file} has no such test`).toContain(name ?? 'test')
  }
})
