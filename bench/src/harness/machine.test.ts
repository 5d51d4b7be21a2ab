import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { commitsSince, describeCommit } from './machine.ts'

let folder = ''

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    encoding: 'utf8',
  }).trim()

const write = (path: string, text: string): void => writeFileSync(join(folder, path), text)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-commit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  git('init', '--quiet')
  mkdirSync(join(folder, 'bench/results'), { recursive: true })
  mkdirSync(join(folder, 'docs'))
  for (const path of ['agent.ts', 'README.md', 'bench/results/path.json']) {
    write(path, 'as it is committed')
  }
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})

test('changed results and documents do not mark the commit', async () => {
  for (const path of ['README.md', 'docs/security.md', 'bench/results/path.json']) {
    write(path, 'of another run')
  }
  write('bench/results/mesh.json', 'of its first run')
  expect(await describeCommit(folder)).toBe(git('rev-parse', '--short', 'HEAD'))
  expect(await describeCommit(join(folder, 'bench'))).toBe(git('rev-parse', '--short', 'HEAD'))
})

test.each(['agent.ts', 'new.ts', 'bench/main.ts'])('a change of %s marks the commit', async (path) => {
  write(path, 'changed')
  expect(await describeCommit(folder)).toBe(`${git('rev-parse', '--short', 'HEAD')}+`)
})

test('outside a repository there is no commit', async () => {
  rmSync(join(folder, '.git'), { recursive: true })
  expect(await describeCommit(folder)).toBe(null)
})

test('lists the commits since another that change more than tests below a path, newest first', async () => {
  const first = git('rev-parse', 'HEAD')
  for (const path of ['docs/a.ts', 'docs/a.test.ts', 'b.ts', 'docs/c.ts']) {
    write(path, 'new')
    git('add', '.')
    git('commit', '--quiet', '--message', `adds ${path}`)
  }
  const commits = await commitsSince(first, ['docs'], join(folder, 'bench'))
  expect(commits?.count).toBe(2)
  expect(commits?.newest.map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual([
    'adds docs/c.ts',
    'adds docs/a.ts',
  ])
  expect(await commitsSince('HEAD', ['docs'], folder)).toEqual({ newest: [], count: 0 })
  expect(await commitsSince('0123456', ['docs'], folder)).toBeNull()
})
