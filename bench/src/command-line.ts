import { parseArgs } from 'node:util'

export type Command =
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problem: string }
  | { kind: 'run'; names: string[]; quick: boolean }

const helpOf = (benches: readonly { name: string; about: string }[]): string =>
  [
    'npm run bench -- [names] [--quick]      without a name: all of them',
    '',
    ...benches.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`),
    '',
    '  --quick    short windows and few repeats, to see that a bench works; nothing is recorded',
    '  --help     this text',
    '',
    'Figures go to stdout, a JSON line each, and to bench/results; the rest to stderr.',
  ].join('\n')

/** What the command line asks for. A name that is no bench is answered with those that are. */
export const parseCommandLine = (
  args: readonly string[],
  benches: readonly { name: string; about: string }[],
): Command => {
  const known = benches.map(({ name }) => name)
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
      strict: true,
    })
    if (values.help) return { kind: 'help', text: helpOf(benches) }
    const unknown = positionals.filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      const problem = `no bench is named ${unknown.join(', ')}; there are: ${known.join(', ')}`
      return { kind: 'wrong', problem }
    }
    return {
      kind: 'run',
      names: positionals.length === 0 ? known : positionals,
      quick: values.quick,
    }
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) }
  }
}
