import { expect, test } from 'vitest'
import { parseCommandLine } from './command-line.ts'

const benches = [
  { name: 'path', about: 'the path' },
  { name: 'runs', about: 'the runs' },
]

test('without a name every bench runs', () => {
  expect(parseCommandLine([], benches)).toEqual({
    kind: 'run',
    names: ['path', 'runs'],
    quick: false,
    before: null,
  })
})

test('what is named runs', () => {
  expect(parseCommandLine(['runs', '--quick'], benches)).toEqual({
    kind: 'run',
    names: ['runs'],
    quick: true,
    before: null,
  })
})

test('probe alone measures another commit beside this one', () => {
  const known = [...benches, { name: 'probe', about: 'checks' }]
  expect(parseCommandLine(['probe', '--before', 'abc'], known)).toEqual({
    kind: 'run',
    names: ['probe'],
    quick: false,
    before: 'abc',
  })
  for (const args of [
    ['path', 'probe', '--before', 'abc'],
    ['--before', 'abc'],
  ]) {
    expect(parseCommandLine(args, known)).toMatchObject({ kind: 'wrong' })
  }
})

test('a name that is no bench is answered with those that are', () => {
  expect(parseCommandLine(['pathh'], benches)).toEqual({
    kind: 'wrong',
    problem: 'no bench is named pathh; there are: path, runs',
  })
})

test('a flag that is none is wrong, and help lists every bench', () => {
  expect(parseCommandLine(['--fast'], benches).kind).toBe('wrong')
  expect(parseCommandLine(['--help'], benches)).toMatchObject({
    kind: 'help',
    text: expect.stringMatching(/path.*the path\n.*runs.*the runs/),
  })
})

test('compare takes all benches or some, and what they are compared with', () => {
  const all = { kind: 'compare', names: ['path', 'runs'], against: null, all: false, json: false }
  expect(parseCommandLine(['compare'], benches)).toEqual(all)
  expect(
    parseCommandLine(['compare', 'runs', '--against', '2026-11-20', '--all', '--json'], benches),
  ).toEqual({ ...all, names: ['runs'], against: '2026-11-20', all: true, json: true })
})

test.each([
  [['compare', 'pathh'], 'no bench is named pathh'],
  [['compare', '--quick'], '--quick and --before measure'],
  [['path', '--before', 'x'], '--before belongs to probe'],
  [['path', '--all'], 'belong to compare'],
  [['path', '--against', 'x'], 'belong to compare'],
  [['derive', 'path'], 'no bench is named derive'],
])('%j is wrong', (args, problem) =>
  expect(parseCommandLine(args, benches)).toMatchObject({
    kind: 'wrong',
    problem: expect.stringContaining(problem),
  }),
)

test('derive stands alone', () =>
  expect(parseCommandLine(['derive'], benches)).toEqual({ kind: 'derive' }))
