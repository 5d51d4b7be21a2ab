import { mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '../../../testing/folder.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hydrateLibraries } from './binaries.ts'

let folder = ''
beforeEach(async () => {
  folder = testFolder('probe-mesh-libraries-')
  await mkdir(join(folder, 'native/lib'), { recursive: true })
  await writeFile(join(folder, 'native/lib/libx.so.1.2'), 'library')
})
afterEach(async () => rm(folder, { recursive: true, force: true }))

const writeLinks = async (links: unknown): Promise<void> =>
  writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))

test('creates the links that the install script skipped, once, relative to the folder', async () => {
  await writeLinks([
    { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so' },
    { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' },
  ])
  await Promise.all([hydrateLibraries(folder), hydrateLibraries(folder)])
  await hydrateLibraries(folder)
  expect(await readFile(join(folder, 'native/lib/libx.so.1'), 'utf8')).toBe('library')
  expect(await readlink(join(folder, 'native/lib/libx.so'))).toBe('libx.so.1.2')
})

test('refuses an invalid list and creates none of its links', async () => {
  await writeLinks([{ source: 'native/lib/libx.so.1.2' }])
  await expect(hydrateLibraries(folder)).rejects.toThrow(/not a list of/)
})
