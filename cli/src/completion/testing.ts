import { execFile } from 'node:child_process'
import { flag, text, type CommandSpec } from '../command-line/command-spec.ts'
import { quotePosix } from './quote.ts'

const runMsMax = 60_000

/** The output of a shell script. @throws if it cannot run or prints an error */
export const runShell = (
  shell: string,
  flags: readonly string[],
  script: string,
  cwd = '/',
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: runMsMax, killSignal: 'SIGKILL', cwd } as const
    execFile(shell, [...flags, '-c', script], options, (error, out, err) => {
      if (error === null && err === '') resolve(out)
      else reject(new Error(`${shell} printed: ${err}`, { cause: error }))
    })
  })

/** What bash offers after each line, given as the words that bash splits it into. */
export const offeredByBash = async (
  script: string,
  lines: readonly (readonly string[])[],
  { cwd = '/', hasCompopt = true } = {},
): Promise<string[][]> => {
  const compopt = hasCompopt
    ? // the builtin works only at a TAB; this function records that readline completes
      'compopt() { COMPREPLY=("compopt $*"); }'
    : 'enable -n compopt'
  const calls = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map(quotePosix).join(' ')}); COMP_CWORD=${words.length - 1}
_service_completion
printf '%s\\n' "\${COMPREPLY[@]}" ---`,
  )
  const output = await runShell(
    'bash',
    ['--norc', '--noprofile'],
    [compopt, script, ...calls].join('\n'),
    cwd,
  )
  return output
    .split('---\n')
    .slice(0, -1)
    .map((part) => part.split('\n').filter((word) => word !== ''))
}

/** Characters that a shell interprets unless they are quoted. */
const hostile = `it's "a" [b], {c}: d; $(exit 9) \`e\` \\ f\\: % ~ * ! # & | <g> \\\\ é\n$h`

/** A command with every kind of argument, in words that need quotes. */
export const hostileCommand: CommandSpec = {
  name: 'try',
  summary: hostile,
  positional: [
    { name: '<which>', description: hostile, completes: ['one', 'two'] },
    { name: '[files...]', description: hostile, completes: 'file' },
  ],
  options: {
    level: text('-l, --level <a:level>', hostile, { choices: ['low', 'high'] }),
    url: text('-u, --url <url>', hostile),
    bare: flag('--bare', hostile),
  },
  examples: [],
  load: () => Promise.reject(new Error('only its words are used')),
}
