import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkCeiling, overCeiling, sizeOf } from './ceiling.ts'

const size = { sourceLines: 3, testLines: 2, dataLines: 1, pages: 1, pagesKB: 1 }

test('counts source, tests, data without lockfiles, and pages', () => {
  const files = {
    'a.ts': '1\n2\n',
    'web/src/islands/b.js': '1\n',
    'a.test.ts': '1\n',
    'bus/src/contract-suite/c.ts': '1\n',
    'd.json': '{}\n',
    'package-lock.json': '{}\n',
    'docs/e.md': 'é\n',
    'f.sql': '1\n',
  }
  expect(sizeOf(new Map(Object.entries(files)))).toEqual(size)
})

test.each(Object.keys(size))('%s above its ceiling is a problem that names both figures', (key) => {
  expect(overCeiling(size, size)).toEqual([])
  expect(overCeiling({ ...size, [key]: 1_235 }, { ...size, [key]: 1_234 })).toEqual([
    expect.stringMatching(new RegExp(`^1235 .*"${key}" in ceiling.json allows 1234`)),
  ])
})

test('a ceiling that the file does not name allows nothing', () => {
  const { pages: _, ...rest } = size
  expect(overCeiling(size, rest as typeof size)).toHaveLength(1)
})

test('a commit that raises a ceiling says why in its body, and needs no reason to lower one', () => {
  const root = mkdtempSync(join(tmpdir(), 'ceiling-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root })
  const commit = (dataLines: number, ...message: string[]): string[] => {
    writeFileSync(join(root, 'ceiling.json'), `${JSON.stringify({ ...size, dataLines })}\n`)
    git('add', '.')
    git('commit', '--quiet', ...message.flatMap((part) => ['-m', part]))
    return checkCeiling(root)
  }
  git('init', '--quiet')
  expect(commit(5, 'first')).toEqual([])
  expect(commit(6, 'more', 'a reason')).toEqual([])
  expect(commit(5, 'less')).toEqual([])
  expect(commit(6, 'more')).toEqual([expect.stringContaining('Say why in its body')])
})
