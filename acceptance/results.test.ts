import { expect, test } from 'vitest'
import {
  closingLine,
  pageOf,
  quoted,
  resultOfCommand,
  resultsOfTests,
  type Ended,
  type TestReport,
} from './results.ts'
import { stepsOf, type Step } from './steps.ts'
import { ownCommands, suites } from './suites.ts'

const step: Step & { kind: 'tests' } = {
  kind: 'tests',
  name: 'both',
  log: 'both',
  environment: { FUZZ_SEED: '7' },
  suites: [
    { name: 'path', about: '', files: ['a/path.test.ts', 'a/more/*.test.ts'] },
    { name: 'a/judge', about: '', files: [] },
  ],
}
const ended: Ended = { code: 0, seconds: 9, log: 'both.log', output: '' }
const file = (name: string, ...statuses: string[]): TestReport['testResults'][number] => ({
  name: `/root/${name}`,
  status: statuses.every((status) => status === 'passed') ? 'passed' : 'failed',
  startTime: 1_000,
  endTime: 3_400,
  assertionResults: statuses.map((status, at) => ({ status, fullName: `test ${at}` })),
})
const resultsOf = (code: number | null, ...testResults: TestReport['testResults'][number][]) =>
  resultsOfTests(step, { ...ended, code }, { testResults }, '/root')

test('every night runs each suite and each own command once', () => {
  const steps = stepsOf(['nightly'], 7)
  const ran = steps.flatMap((one) => (one.kind === 'tests' ? one.suites.map(({ name }) => name) : [one.name]))
  const own = ownCommands.map(({ name }) => name.replace('acceptance/', ''))
  expect(ran.toSorted()).toEqual([...suites.map(({ name }) => name), ...own, 'planted', 'gate'].toSorted())
})

test('counts the tests and seconds of each suite by its files, in every project that ran them', () => {
  const judged = file('a/judge/judge.test.ts', 'passed')
  const results = resultsOf(0, file('a/path.test.ts', 'passed'), file('a/path.test.ts', 'passed'), judged)
  expect(results).toMatchObject([
    { name: 'path', passed: 2, failed: 0, seconds: 5 },
    { name: 'a/judge', passed: 1, failed: 0, seconds: 2 },
  ])
  expect(closingLine(results)).toBe('3 passed, 0 failed')
})

test('names each failed test, a file that did not load and a suite without files, with the command to repeat', () => {
  const broken = { ...file('a/more/x.test.ts'), status: 'failed' }
  const results = resultsOf(1, file('a/path.test.ts', 'passed', 'failed'), broken)
  expect(results.flatMap(({ failures }) => failures)).toEqual([
    { what: 'a/path.test.ts: test 1', repeat: 'FUZZ_SEED=7 npm test -- a/path.test.ts' },
    { what: 'a/more/x.test.ts did not run', repeat: 'FUZZ_SEED=7 npm test -- a/more/x.test.ts' },
    { what: 'no file of a/judge ran', repeat: 'FUZZ_SEED=7 npm test -- a/judge' },
  ])
  const page = pageOf({ title: 'a run', results, quotes: [], minutes: 1 })
  expect(page).toContain('| path | 2 FAILED | 5 | 3 |')
  expect(page).toContain('- a/path.test.ts: test 1\n  `FUZZ_SEED=7 npm test -- a/path.test.ts`')
  expect(closingLine(results)).toBe('1 passed, 3 failed')
})

test.each([
  ['an error outside any test', 1],
  ['the time limit', null],
])('a run of green tests that ended by %s has failed', (_, code) => {
  const results = resultsOf(code, file('a/path.test.ts', 'passed'), file('a/judge/x.test.ts', 'passed'))
  expect(closingLine(results)).toBe('2 passed, 1 failed')
})

test('without a report every suite has failed', () => {
  expect(resultsOfTests(step, { ...ended, code: 1 }, null, '/root').map(({ failed }) => failed)).toEqual([
    1, 1,
  ])
})

test.each<[string, number | null, string, string]>([
  ['that is silent', 0, '', '1 passed, 0 failed'],
  ['that is killed', null, '', '0 passed, 1 failed'],
  ['of Vitest', 1, '      Tests  2 failed | 30 passed (32)\n', '30 passed, 2 failed'],
  ['of properties', 0, ' Tests  1200 in 3 rounds, 0 failed, 0 rounds broke\n', '1200 passed, 0 failed'],
  [
    'of properties that failed',
    1,
    ' Tests  40 in 1 rounds, 3 failed, 0 rounds broke\n',
    '37 passed, 3 failed',
  ],
])('counts the tests of a command %s', (_, code, output, line) => {
  const faults = stepsOf(['nightly'], 7).find(({ name }) => name === 'faults')
  const result = resultOfCommand(faults ?? step, { ...ended, code, output })
  expect(closingLine([result])).toBe(line)
  expect(result.failures.map(({ repeat }) => repeat)).toEqual(code === 0 ? [] : ['npm run faults'])
})

test('a page quotes seeds, ratios and tables of commands', () => {
  const lines = ['round 1, seed 99: 40 tests', '| get_check | 0.45 |', 'the ratio of tools_call moved']
  expect(quoted(['npm notice', ...lines, 'done'].join('\n'))).toEqual(lines)
  const quotes = [{ name: 'gate', lines }]
  expect(pageOf({ title: 'a run', results: [], quotes, minutes: 1 })).toContain(
    `## gate\n\n\`\`\`\n${lines[0]}`,
  )
})
