import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawings } from './drawings.ts'

const root = new URL('../../../', import.meta.url)
const bytesMax = 30_000

test.each(drawings())('$path equals the output of `npm run docs`, and is small', ({ path, text }) => {
  expect(readFileSync(new URL(path, root), 'utf8')).toBe(text)
  expect(brotliCompressSync(text).length).toBeLessThan(bytesMax)
})

test('no symbol is empty', () => {
  for (const { text } of drawings()) {
    const symbols = [...text.matchAll(/<symbol id="([^"]+)" viewBox="[^"]+"><path d="([^"]*)"\/>/g)]
    expect(symbols.length).toBeGreaterThan(0)
    expect(symbols.filter(([, , path = '']) => !/^M[\d.-]/i.test(path)).map(([, id]) => id)).toEqual([])
  }
})
