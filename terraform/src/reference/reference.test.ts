import { readFile, readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createProvider } from '../provider.ts'
import { referenceOf } from './reference.ts'

const folder = new URL('../../docs/', import.meta.url)

test('the reference is what the schemas say: else run `npm run docs`', async () => {
  const pages = referenceOf(createProvider({ environment: {} }))
  for (const { path, text } of pages) {
    expect(await readFile(new URL(path, folder), 'utf8'), path).toBe(text)
  }
  const files = await readdir(folder, { recursive: true })
  expect(files.filter((name) => name.endsWith('.md')).toSorted()).toEqual(
    pages.map(({ path }) => path).toSorted(),
  )
})
