import { globSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import configuration from '../vitest.config.ts'
import { suitesOfEachChange } from './suites-of-each-change.ts'
import { ownCommands, suites } from './suites.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const all = [...suites, ...ownCommands]

const testFiles = globSync('**/*.test.ts', { cwd: root, exclude: (name) => name === 'node_modules' })
/** The test files that patterns select; most are plain paths. */
const selected = (patterns: readonly string[]): ReadonlySet<string> => {
  const globs = patterns.filter((pattern) => /[*{]/.test(pattern) && !pattern.includes('node_modules'))
  return new Set([
    ...patterns,
    ...testFiles.filter((file) => globs.some((pattern) => matchesGlob(file, pattern))),
  ])
}
const ofSuites = all.map(({ files }) => selected(files))
/** What the projects run if no file is named. */
const ofNpmTest = (configuration.test?.projects ?? []).map((project) => {
  const { include, exclude } = (project as { test: { include: string[]; exclude: string[] } }).test
  const excluded = selected(exclude)
  return new Set([...selected(include)].filter((file) => !excluded.has(file)))
})

test('every test file runs once in npm test, or in exactly one suite', () => {
  expect(testFiles.length).toBeGreaterThan(900)
  const runs = [...ofNpmTest, ...ofSuites]
  expect(testFiles.filter((file) => runs.filter((files) => files.has(file)).length !== 1)).toEqual([])
})

test('every file of a suite exists', () => {
  const files = all.flatMap(({ files: own }) => own)
  expect(files.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([])
})

test('the name of a suite that is a path selects all its files', () => {
  for (const { name, files } of all.filter(({ name: path }) => path.includes('/'))) {
    expect(files.filter((file) => !file.includes(name))).toEqual([])
  }
})

test.each(suitesOfEachChange)('a test of npm test stands in for $name', ({ standIn: { file, title } }) => {
  expect(ofNpmTest.filter((files) => files.has(file))).toHaveLength(1)
  expect(read(file)).toContain(`test('${title}'`)
})

test('the guide lists what left npm test, and what stands in for it', () => {
  const plain = (file: string): string => `\`${file.replace('.test.ts', '')}\``
  const lines = suitesOfEachChange.map(
    ({ name, files, standIn: { file, title } }) =>
      `- **${name}**: ${files.map(plain).join(', ')}; in \`npm test\` "${title}" (${plain(file)})`,
  )
  expect(read('docs/guides/develop.md')).toContain(`At each change run:\n\n${lines.join('\n')}\n`)
})
