import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import type { TestRun } from './run-tests.ts'
import { plantHole, withHole, problemOf } from './find-holes.ts'
import { holes, type Hole } from './holes.ts'

const aHole: Hole = {
  kind: 'addresses',
  name: 'a test',
  file: 'a.ts',
  replace: 'every',
  by: 'some',
  proof: { files: [] },
  found: /loses a/,
}
const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(holes)('the hole can be planted: $kind, $name', async (hole) => {
  const text = await readFile(join(root, hole.file), 'utf8')
  expect(withHole(text, hole), `${hole.file} does not contain the text once`).not.toBeNull()
})

test('each kind of proof has a hole', () => {
  const kinds = ['addresses', 'pools', 'routes and scopes', 'secrets', 'tables and isolation']
  expect([...new Set(holes.map(({ kind }) => kind))].toSorted()).toEqual(expect.arrayContaining(kinds))
})

test('a hole replaces a text that occurs once, and closing it restores the file', async () => {
  const folder = testFolder('planted-')
  const path = join(folder, 'a.ts')
  await writeFile(path, 'all.every(safe)')
  const close = await plantHole(folder, aHole)
  expect(await readFile(path, 'utf8')).toBe('all.some(safe)')
  await close()
  expect(await readFile(path, 'utf8')).toBe('all.every(safe)')
})

test.each([
  ['is gone', 'all.all(safe)'],
  ['occurs twice', 'every every'],
])('a hole whose text %s cannot be planted, and says so', async (_, text) => {
  const folder = testFolder('planted-')
  await writeFile(join(folder, 'a.ts'), text)
  await expect(plantHole(folder, aHole)).rejects.toThrow(
    'the hole cannot be planted: a.ts does not contain once "every"',
  )
  expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe(text)
})

const ran = (...failures: string[]): TestRun => ({
  green: failures.length === 0,
  tests: 1,
  passed: failures.length === 0 ? 1 : 0,
  failures,
  printed: failures.join(),
  seconds: 1,
})

test.each([
  ['is green', ran(), 'not found: the proof is green'],
  [
    'is red for another reason',
    ran('a port is taken'),
    'no failed test matches /loses a/, the first is a port is taken',
  ],
  ['names the hole', ran('a pin', 'loses a range'), null],
])('a hole whose proof %s', async (_, run, problem) => {
  const folder = testFolder('planted-')
  const path = join(folder, 'a.ts')
  await writeFile(path, 'all.every(safe)')
  let planted = ''
  const found = await problemOf(folder, aHole, async () => {
    planted = await readFile(path, 'utf8')
    return run
  })
  expect(planted).toBe('all.some(safe)')
  expect(await readFile(path, 'utf8')).toBe('all.every(safe)')
  if (problem === null) expect(found).toBeNull()
  else expect(found).toContain(problem)
})
