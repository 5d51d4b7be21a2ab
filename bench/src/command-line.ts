import { parseArgs } from 'node:util'
import type { CompareOptions } from './compare/compare-benches.ts'

export type Command =
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problem: string }
  | { kind: 'run'; names: string[]; quick: boolean; before: string | null }
  | ({ kind: 'compare' } & CompareOptions)
  | { kind: 'derive' }

/** The bench that measures another commit beside this one. */
const besideBefore = 'probe'

const helpOf = (benches: readonly { name: string; about: string }[]): string =>
  [
    'npm run bench -- [names] [--quick]    without a name: all of them',
    'npm run bench -- compare [names] [--against COMMIT|DAY] [--all] [--json]',
    '                                      the newest run of each beside the one before, or that one; 1 where a figure is worse',
    'npm run bench -- derive               the tables of bench/README.md and docs/scale.md from the newest results, as after each run',
    '',
    ...benches.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`),
    '',
    '  --quick    short windows and few repeats, to see that a bench works; nothing is recorded',
    `  --before COMMIT    ${besideBefore} alone: what a check cost then, by turns in the same run`,
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
        before: { type: 'string' },
        against: { type: 'string' },
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
      strict: true,
    })
    if (values.help) return { kind: 'help', text: helpOf(benches) }
    const [act] = positionals
    if (act === 'derive' && positionals.length === 1) return { kind: 'derive' }
    const isCompare = act === 'compare'
    const named = isCompare ? positionals.slice(1) : positionals
    const unknown = named.filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      const problem = `no bench is named ${unknown.join(', ')}; there are: ${known.join(', ')}`
      return { kind: 'wrong', problem }
    }
    const names = named.length === 0 ? known : named
    const { quick, before = null, against = null, all, json } = values
    if (isCompare && (quick || before !== null)) {
      return { kind: 'wrong', problem: '--quick and --before measure, compare does not' }
    }
    if (isCompare) return { kind: 'compare', names, against, all, json }
    if (against !== null || all || json) {
      return { kind: 'wrong', problem: '--against, --all and --json belong to compare' }
    }
    if (before !== null && (named.length !== 1 || named[0] !== besideBefore)) {
      return { kind: 'wrong', problem: `--before belongs to ${besideBefore} alone` }
    }
    return { kind: 'run', names, quick, before }
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) }
  }
}
