import { chmod, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingTools } from './test-tools.ts'

const folder = testFolder('tools-')
beforeAll(async () => {
  await writeFile(join(folder, 'present'), '')
  await chmod(join(folder, 'present'), 0o755)
  await writeFile(join(folder, 'not-executable'), '')
  await chmod(join(folder, 'not-executable'), 0o644)
})
afterAll(() => rm(folder, { recursive: true }))

test('reports a tool as missing unless a folder of the path has it as an executable', () => {
  const path = ['/nowhere', folder].join(delimiter)
  const names = ['present', 'not-executable', 'absent']
  expect(missingTools(names, path)).toEqual(['not-executable', 'absent'])
  expect(missingTools(names, '/nowhere')).toEqual(names)
})
