import { expect, test } from 'vitest'
import { defineCommandLine, flag, helpOf, parseArgv } from './argv.ts'
import { oneOf, optional, required, text, wholeNumber, withDefault } from './setting.ts'

const line = defineCommandLine({
  call: 'npm run admin --',
  about: 'Manages accounts.',
  commands: {
    'account create': {
      summary: 'create an account',
      options: {
        name: required(text, 'the name'),
        tier: withDefault(oneOf('free', 'growth'), 'free', 'the plan'),
        json: flag('print JSON'),
      },
    },
    'key revoke': {
      summary: 'revoke a key',
      arguments: { keyId: required(text, 'its id') },
      options: { json: flag('print JSON') },
    },
    key: { summary: 'show a key', arguments: { id: optional(text, 'the newest', 'its id') } },
  },
  notes: 'A key is printed once.',
})

test('reads a command with its arguments and options', () => {
  expect(parseArgv(line, ['account', 'create', '--name', 'A B', '--json'])).toEqual({
    kind: 'run',
    command: 'account create',
    given: { name: 'A B', tier: 'free', json: true },
  })
  expect(parseArgv(line, ['--json', 'key', 'revoke', 'k1'])).toEqual({
    kind: 'run',
    command: 'key revoke',
    given: { keyId: 'k1', json: true },
  })
  expect(parseArgv(line, ['key'])).toEqual({ kind: 'run', command: 'key', given: { id: null } })
})

test.each([
  [['account', 'create'], ['account create needs --name']],
  [['account', 'create', '--name', 'A', '--tier', 'x'], ['--tier must be free or growth, not x']],
  [['key', 'revoke'], ['key revoke needs <key id>']],
  [
    ['key', 'revoke', 'a', 'b', '--name', 'c'],
    ['key revoke takes <key id>, not a b', 'key revoke has no option --name'],
  ],
  [
    ['key', '--json=yes', 'x', '--wat'],
    ['--json takes no value', 'unknown option: --wat', 'key has no option --json'],
  ],
  [['account', 'create', '--name', 'A', '--name', 'B'], ['--name is set twice']],
  [['account', 'create', '--name'], ['--name needs a value']],
  [['account', 'delete'], ['unknown command: account delete']],
  [['--json'], ['no command']],
])('%j reports all problems', (argv, problems) => {
  expect(parseArgv(line, argv)).toEqual({ kind: 'wrong', problems })
})

test.each([[[]], [['--help']], [['key', '-h']], [['account', 'create', '--help', '--wat']]])(
  '%j prints help',
  (argv) => {
    expect(parseArgv(line, argv)).toEqual({ kind: 'help', text: helpOf(line) })
  },
)

test('help lists commands, arguments, options with their defaults, and notes', () => {
  expect(helpOf(line)).toBe(`Manages accounts.

  npm run admin -- account create --name <name> [--tier <tier>] [--json]
  npm run admin -- key revoke <key id> [--json]
  npm run admin -- key [<id>]

  account create  create an account
  key revoke      revoke a key
  key             show a key

  --name <name>  the name
  --tier <tier>  the plan (free)
  --json         print JSON
  <key id>       its id
  <id>           its id (the newest)
  --help         print this text

A key is printed once.
`)
})

const judge = ({ minutes }: Readonly<Record<string, unknown>>): string[] => [`judged ${minutes}`]

test('a program of one command needs no command word', () => {
  const single = defineCommandLine({
    call: 'npm run faults -- --soak',
    about: 'Runs faults.',
    commands: {
      '': {
        summary: '',
        options: { minutes: withDefault(wholeNumber({ min: 1, max: 9 }), 5, 'how long') },
      },
    },
  })
  expect(parseArgv(single, [])).toEqual({ kind: 'run', command: '', given: { minutes: 5 } })
  expect(parseArgv(single, ['x', '--minutes', '10'])).toEqual({
    kind: 'wrong',
    problems: [
      'the command takes no arguments, not x',
      '--minutes must be a whole number from 1 to 9, not 10',
    ],
  })
  expect(parseArgv({ ...single, commands: { '': { ...single.commands[''], judge } } }, ['x'])).toEqual({
    kind: 'wrong',
    problems: ['the command takes no arguments, not x', 'judged 5'],
  })
  expect(helpOf(single)).toContain('  npm run faults -- --soak [--minutes <minutes>]\n')
})
