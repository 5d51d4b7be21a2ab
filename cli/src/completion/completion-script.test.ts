import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import fc from 'fast-check'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allCommands } from '../commands/all-commands.ts'
import { completionScript, shellOf } from './completion-script.ts'
import { quoteFish, quotePosix } from './quote.ts'
import { shellWords } from './shell-words.ts'
import { hostileCommand, offeredByBash, runShell } from './testing.ts'

const commands = [...allCommands, hostileCommand]
const names = [...commands.map(({ name }) => name), 'help']
const bash = completionScript('bash', commands)

let folder = ''
beforeAll(async () => {
  folder = testFolder('completion-')
  await writeFile(join(folder, 'checks a.yaml'), '')
  await writeFile(join(folder, 'other.json'), '')
})
afterAll(() => rm(folder, { recursive: true }))

const levels = ['low', 'high']
const ofTry = ['-l', '--level', '-u', '--url', '--bare', '-h', '--help']
const readline = ['compopt -o default']

/** Lines in the words that bash splits them into. The cursor is at the bar. */
const lines: [words: string, offered: readonly string[]][] = [
  ['service |', names],
  ['probe-mesh |ap', ['apply']],
  ['service |x', []],
  ['service |-', ['-h', '--help', '-V', '--version']],
  ['service unknown |', []],
  ['probe-mesh apply |--p', ['--prune']],
  ['probe-mesh apply |--dry', ['--dry-run']],
  ['probe-mesh validate |--dry', []],
  ['probe-mesh apply -f |', readline],
  ['probe-mesh apply --file |che', readline],
  ['probe-mesh apply --file |=', readline],
  ['probe-mesh apply --file = |ch', readline],
  ['probe-mesh apply --file = a |--j', ['--json']],
  ['probe-mesh apply --api-key |', []],
  ['probe-mesh apply --api-key |-', []],
  ['probe-mesh apply --api-key x |--y', ['--yes']],
  ['probe-mesh apply -f apply |--y', ['--yes']],
  ['probe-mesh completion |', ['bash', 'zsh', 'fish']],
  ['probe-mesh completion |z', ['zsh']],
  ['probe-mesh completion --json |z', ['zsh']],
  ['probe-mesh completion bash > |', readline],
  ['probe-mesh completion bash |--', ['--json', '--no-color', '--help']],
  ['service help |ex', ['export']],
  ['service --help |va', ['validate']],
  ['service try |', ['one', 'two']],
  ['service try |-', ofTry],
  ['service try --level |', levels],
  ['service try -l |h', ['high']],
  ['service try --level |=', levels],
  ['service try --level = |l', ['low']],
  ['service try --level low |t', ['two']],
  ['service try --url |', []],
  ['service try one |', readline],
  ['service try one a.yaml |', readline],
  ['service try -- |', ['one', 'two']],
  ['service try -- |-', []],
]
const wordsOf = (line: string): string[] => line.replace('|', '').split(' ')

describe('bash completes', () => {
  let offered: string[][] = []
  beforeAll(async () => {
    offered = await offeredByBash(
      bash,
      lines.map(([line]) => wordsOf(line)),
    )
  })

  test.each(lines.map(([line, expected], index) => ({ line, expected, index })))(
    '$line',
    ({ expected, index }) => {
      expect(offered[index]).toStrictEqual(expected)
    },
  )
})

test('offers every option and command where the parser accepts it', async () => {
  const rows = shellWords(commands).commands.flatMap(({ name, options }) =>
    options.flatMap(({ names }) => names).map((option) => [name, option] as const),
  )
  const offered = await offeredByBash(
    bash,
    rows.map(([name, option]) => ['service', name, option]),
  )
  for (const [index, [, option]] of rows.entries()) expect(offered[index]).toContain(option)
})

test('completes files with any name in bash without compopt', async () => {
  const offered = await offeredByBash(
    bash,
    [wordsOf('probe-mesh apply -f |'), wordsOf('probe-mesh apply -f |ch'), wordsOf('service |val')],
    { cwd: folder, hasCompopt: false },
  )
  expect(offered.map((words) => words.toSorted())).toStrictEqual([
    ['checks a.yaml', 'other.json'],
    ['checks a.yaml'],
    ['validate'],
  ])
})

test('runs nothing from the line and ignores settings of the user', async () => {
  const typed = ['service', '$(exit 9)', '`exit 9`', '*', '|exit 9|', "a'b"]
  const settings = "IFS='aeb'; shopt -s nullglob failglob extglob\n"
  expect(await offeredByBash(settings + bash, [typed, ['service', 'completion', '']])).toEqual([
    [],
    ['bash', 'zsh', 'fish'],
  ])
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.stringMatching(/^['"\\$`!*?#~;&|<>(){}[\] :a\n]{0,20}$/),
)
const passable = anyText.map((text) => text.toWellFormed().replaceAll('\0', ''))

test('a quoted text is one bash word with that text', async () => {
  const texts = fc.sample(passable, 300)
  const printed = await runShell(
    'bash',
    ['--norc', '--noprofile'],
    texts.map((text) => `printf '%s\\0' ${quotePosix(text)}\n`).join(''),
  )
  expect(printed.split('\0').slice(0, -1)).toStrictEqual(texts)
})

test('refuses a word that would need quotes', () => {
  for (const word of ['a b', 'a:b', '$a', '']) {
    const positional = [{ name: '<a>', description: '', completes: [word] }]
    expect(() => shellWords([{ ...hostileCommand, positional }])).toThrow('would need quotes')
  }
})

test('only known shells have completions', () => {
  expect(shellOf('bash')).toBe('bash')
  for (const name of ['tcsh', 'toString', '__proto__', '']) expect(shellOf(name)).toBeNull()
})

/** The download of Debian packages if the machine lacks them. */
const fetchMsMax = 120_000

describe('the other shells', () => {
  test('zsh accepts the script', { timeout: fetchMsMax }, async () => {
    const zsh = await findDebianProgram('zsh')
    expect(await runShell(zsh, ['-f', '-n'], completionScript('zsh', commands))).toBe('')
  })

  test(
    'fish completes commands, options and values, and reads our quotes',
    { timeout: fetchMsMax },
    async () => {
      const fish = await findDebianProgram('fish')
      const request = (line: string) => `complete -C ${quoteFish(line)}; echo ---\n`
      const typed = ['probe-mesh apply --p', 'service try --level ', 'service try -l low o', 'service va']
      const offered = await runShell(
        fish,
        ['--no-config'],
        completionScript('fish', commands) + typed.map(request).join(''),
      )
      const words = offered.split('---\n').map((part) => part.replaceAll(/\t.*$/gm, '').trim())
      expect(words).toStrictEqual(['--prune', 'high\nlow', 'one', 'validate', ''])
      const texts = fc.sample(passable, 100)
      const echo = texts.map((text) => `printf '%s\\0' ${quoteFish(text)}\n`).join('')
      expect((await runShell(fish, ['--no-config'], echo)).split('\0').slice(0, -1)).toStrictEqual(texts)
    },
  )
})
