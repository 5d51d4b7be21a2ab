import { expect, test } from 'vitest'
import { joinPart } from './join-document.ts'
import { printedReport, reliabilityDocument } from './report.ts'
import type { FaultRow } from './rows/row.ts'
import { verdictOf, type TestOutcome } from './verdict.ts'

const row: FaultRow = {
  id: 'F-99',
  fault: 'a fault | of a kind',
  promise: 'It is tolerated.',
  proofs: [{ file: 'a.test.ts', test: 'is tolerated' }, { file: 'b.test.ts' }],
  notShown: null,
}
const tolerated: TestOutcome = {
  file: 'a.test.ts',
  name: 'the mesh > is tolerated by day',
  state: 'passed',
  seconds: 1,
  figure: '40 kills, 0 lost',
}
const second: TestOutcome = { ...tolerated, file: 'b.test.ts', name: 'is there', figure: null }

test.each<[string, TestOutcome[], string, string]>([
  ['all passed', [tolerated, second], 'kept', '40 kills, 0 lost; 2 of 2 tests in 2.0 s'],
  ['one failed', [tolerated, { ...second, state: 'failed' }], 'broken', '1 of 2 tests in 2.0 s'],
  ['one did not run', [tolerated, { ...second, state: 'skipped' }], 'unproven', '1 of 2 tests'],
  ['a test is missing', [tolerated], 'unproven', '1 of 1 tests'],
  ['a test of another name', [{ ...tolerated, name: 'falls' }, second], 'unproven', '1 of 1 tests'],
  ['a test of another file', [{ ...tolerated, file: 'c.test.ts' }, second], 'unproven', '1 of 1'],
  ['nothing ran', [], 'unproven', '0 of 0 tests'],
])('%s: %j is %s', (_, outcomes, verdict, figure) => {
  const judged = verdictOf(row, outcomes)
  expect(judged.verdict).toBe(verdict)
  expect([...judged.measured, judged.passed].join('; ')).toContain(figure)
})

test('the printed and written reports contain promise, figure and verdict of each fault', () => {
  const broken = verdictOf({ ...row, notShown: 'a power cut' }, [tolerated, { ...second, state: 'failed' }])
  const run = { date: '1970-01-01', machine: 'a machine', commit: 'abc', verdicts: [broken] }
  const printed = printedReport(run)
  for (const text of ['F-99  broken', row.promise, '40 kills, 0 lost', 'a power cut']) {
    expect(printed).toContain(text)
  }
  const written = reliabilityDocument(run)
  expect(written).toContain('| **F-99** a fault \\| of a kind | It is tolerated. Not shown: a power cut.')
  expect(written).toContain('| **broken** |')
  expect(written).toContain('1970-01-01')
  expect(written).toContain('1 faults: 0 kept, 1 broken, 0 unproven.')
})

test('the page has a figure of two faults once, and counts tests where a promise is not kept', () => {
  const kept = verdictOf(row, [tolerated, second])
  const broken = verdictOf({ ...row, id: 'F-100' }, [tolerated, { ...second, state: 'failed' }])
  const run = { date: '1970-01-01', machine: 'm', commit: 'c', verdicts: [kept, broken] }
  const rows = reliabilityDocument(run)
    .split('\n')
    .filter((line) => line.startsWith('| **F-'))
  expect(rows.map((line) => line.split(' | ').slice(-2).join(' | '))).toEqual([
    '40 kills, 0 lost | kept |',
    'as F-99; 1 of 2 tests in 2.0 s | **broken** |',
  ])
})

test('the table and each section are updated independently', () => {
  const table = reliabilityDocument({ date: '1970-01-01', machine: 'm', commit: 'c', verdicts: [] }).replace(
    /\n+$/,
    '\n',
  )
  const soak = '## The soak\n\nflat\n'
  const oracle = '## The oracle\n\nno finding\n'
  expect(joinPart('', oracle)).toBe(oracle)
  expect(joinPart(oracle, soak)).toBe(`${soak}\n${oracle}`)
  const all = joinPart(joinPart(oracle, soak), table)
  expect(all).toBe(`${table}\n${soak}\n${oracle}`)
  for (const part of [table, soak, oracle]) expect(joinPart(all, part)).toBe(all)
  const growing = '## The soak\n\ngrowing\n'
  expect(joinPart(all, growing)).toBe(`${table}\n${growing}\n${oracle}`)
})
