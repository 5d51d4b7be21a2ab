import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, expect, test } from 'vitest'
import { foreignEntries, putFiles } from './kept-files.ts'

const folder = testFolder('probe-mesh-kept-')
afterAll(() => rm(folder, { recursive: true, force: true }))

const files = ['operator.nk', 'account.nk'].map((name) => ({
  name: `nats/keys/${name}`,
  bytes: Buffer.from(`S${name}`),
}))

const none = async (): Promise<void> => undefined
test.each<[string, (keysDir: string) => Promise<unknown>, string[]]>([
  ['that is not there', none, []],
  ['with a part of them', (dir) => writeFile(join(dir, 'keys/operator.nk'), 'Soperator.nk'), []],
  ['with another one of the name', (dir) => writeFile(join(dir, 'keys/operator.nk'), 'Sother'), ['keys']],
  ['with one cut off', (dir) => writeFile(join(dir, 'keys/operator.nk'), 'Sopera'), ['keys']],
  ['with one of another name', (dir) => writeFile(join(dir, 'keys/user.nk'), 'S'), ['keys']],
  ['with the streams of a server', (dir) => mkdir(join(dir, 'store')), ['store']],
  ['with a lock that was left', (dir) => writeFile(join(dir, 'lock'), ''), []],
])('of a folder %s what is no copy of the files is foreign', async (name, prepare, foreign) => {
  const dir = join(folder, name)
  if (prepare !== none) await mkdir(join(dir, 'keys'), { recursive: true })
  await prepare(dir)
  expect(await foreignEntries(dir, 'nats', files)).toEqual(foreign)
})

test('an existing file stays, also when the new files are removed', async () => {
  const dir = join(folder, 'both')
  await mkdir(join(dir, 'keys'), { recursive: true })
  await writeFile(join(dir, 'keys/operator.nk'), 'Soperator.nk')
  const placed: string[] = []
  await putFiles(files, { dataDir: join(folder, 'data'), keysDir: dir }, placed)
  expect(placed).toEqual([join(dir, 'keys/account.nk')])
  expect(await readFile(join(dir, 'keys/account.nk'), 'utf8')).toBe('Saccount.nk')
})
