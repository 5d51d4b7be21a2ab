import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureSecretsKey } from './secrets-key.ts'

let folder: string
beforeEach(() => {
  folder = testFolder('secrets-key-')
})
afterEach(() => rm(folder, { recursive: true }))

test('creates a key once, readable by its owner only, and reuses it at every start', async () => {
  const key = await ensureSecretsKey(join(folder, 'new'))
  expect(key.length).toBeGreaterThanOrEqual(32)
  expect(await ensureSecretsKey(join(folder, 'new'))).toBe(key)
  const file = join(folder, 'new', 'secrets.key')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readFile(file, 'utf8')).trim()).toBe(key)
  expect(await readdir(join(folder, 'new'))).toEqual(['secrets.key'])
})

test('creates a different key for each data directory', async () => {
  expect(await ensureSecretsKey(join(folder, 'a'))).not.toBe(await ensureSecretsKey(join(folder, 'b')))
})

test('never replaces a truncated key, which would make all channel configs unreadable', async () => {
  await writeFile(join(folder, 'secrets.key'), 'short')
  await expect(ensureSecretsKey(folder)).rejects.toThrow('too short')
  expect(await readFile(join(folder, 'secrets.key'), 'utf8')).toBe('short')
})
