import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ownCommands, suites } from './suites.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = [...suites, ...ownCommands]

test('every file of a suite exists and belongs to one suite', () => {
  const files = all.flatMap(({ files: own }) => own)
  expect(files.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([])
  expect(new Set(files).size).toBe(files.length)
})

test('the name of each suite selects all its files', () => {
  for (const { name, files } of all) {
    expect(files.filter((file) => !file.includes(name))).toEqual([])
  }
})
