import { expect, test } from 'vitest'
import { parseCommandLine } from './command-line.ts'

const benches = [
  { name: 'path', about: 'the path' },
  { name: 'runs', about: 'the runs' },
]

test('runs every bench if none is named', () => {
  expect(parseCommandLine([], benches)).toEqual({
    kind: 'run',
    names: ['path', 'runs'],
    quick: false,
  })
})

test('runs the named benches only', () => {
  expect(parseCommandLine(['runs', '--quick'], benches)).toEqual({
    kind: 'run',
    names: ['runs'],
    quick: true,
  })
})

test('an unknown name is refused with the list of benches', () => {
  expect(parseCommandLine(['pathh'], benches)).toEqual({
    kind: 'wrong',
    problem: 'Unknown bench: pathh. The benches are: path, runs.',
  })
})

test('refuses an unknown flag, and lists every bench in the help', () => {
  expect(parseCommandLine(['--fast'], benches).kind).toBe('wrong')
  expect(parseCommandLine(['--help'], benches)).toMatchObject({
    kind: 'help',
    text: expect.stringMatching(/path.*the path\n.*runs.*the runs/),
  })
})

test('compare takes all benches or some, and a commit or a day', () => {
  const all = { kind: 'compare', names: ['path', 'runs'], against: null, all: false, json: false }
  expect(parseCommandLine(['compare'], benches)).toEqual(all)
  expect(
    parseCommandLine(['compare', 'runs', '--against', '2026-11-20', '--all', '--json'], benches),
  ).toEqual({ ...all, names: ['runs'], against: '2026-11-20', all: true, json: true })
})

test.each([
  [['compare', 'pathh'], 'Unknown bench: pathh'],
  [['compare', '--quick'], 'compare does not take --quick'],
  [['path', '--all'], 'Only compare takes'],
  [['path', '--against', 'x'], 'Only compare takes'],
  [['derive', 'path'], 'Unknown bench: derive'],
  [['gate', 'path'], 'Unknown bench: gate'],
  [['gate', '--quick'], 'gate takes only --accept'],
  [['path', '--accept'], 'Only gate takes --accept'],
])('refuses %j', (args, problem) =>
  expect(parseCommandLine(args, benches)).toMatchObject({
    kind: 'wrong',
    problem: expect.stringContaining(problem),
  }),
)

test('derive takes no other argument', () =>
  expect(parseCommandLine(['derive'], benches)).toEqual({ kind: 'derive' }))

test.each([
  [['gate'], false],
  [['gate', '--accept'], true],
])('%j accepts figures: %s', (args, accept) =>
  expect(parseCommandLine(args, benches)).toEqual({ kind: 'gate', accept }),
)
