import { messageOf } from '@probe-mesh/runtime/errors'
import { parseArgs } from 'node:util'
import type { CompareOptions } from './report/compare.ts'

type Command =
  | { kind: 'help'; text: string }
  | { kind: 'wrong'; problem: string }
  | { kind: 'run'; names: string[]; quick: boolean }
  | ({ kind: 'compare' } & CompareOptions)
  | { kind: 'gate'; accept: boolean }
  | { kind: 'derive' }

const helpOf = (benches: readonly { name: string; about: string }[]): string =>
  [
    'npm run bench -- [names] [--quick]    run the named benches, or all of them',
    'npm run bench -- compare [names] [--against COMMIT|DAY] [--all] [--json]',
    '                                      compare the newest run of each bench with the run before, or with',
    '                                      the last run of a commit or up to a day; exit 1 where a figure is worse',
    '                                      by more than 15 %',
    '                                      (earlier runs are those that the commits of bench/results contain)',
    '                                      --all: figures that did not move as well',
    '                                      --json: one line per figure',
    'npm run bench -- gate [--accept]      compare ratios of CPU with the limits in bench/gate.json; exit 1 above one;',
    '                                      --accept: write what left its limits',
    'npm run bench -- derive               write the tables of bench/README.md from the newest results',
    '',
    ...benches.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`),
    '',
    '  --quick            short windows and few rounds, to see that a bench works; nothing is recorded',
    '  --help             print this text',
    '',
    'Figures go to stdout, one JSON line each, and to bench/results. Progress goes to stderr.',
  ].join('\n')

/** Parses the command line. */
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
        against: { type: 'string' },
        all: { type: 'boolean', default: false },
        accept: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
      strict: true,
    })
    if (values.help) return { kind: 'help', text: helpOf(benches) }
    const [act] = positionals
    if (act === 'derive' && positionals.length === 1) return { kind: 'derive' }
    const options = { ...values, against: values.against ?? null }
    if (act === 'gate' && positionals.length === 1) return gateWith(options)
    if (values.accept) return { kind: 'wrong', problem: 'Only gate takes --accept.' }
    const named = act === 'compare' ? positionals.slice(1) : positionals
    const unknown = named.filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      const problem = `Unknown bench: ${unknown.join(', ')}. The benches are: ${known.join(', ')}.`
      return { kind: 'wrong', problem }
    }
    const names = named.length === 0 ? known : named
    return act === 'compare' ? compareWith(names, options) : runWith(names, options)
  } catch (error) {
    return { kind: 'wrong', problem: messageOf(error) }
  }
}

type Options = Omit<CompareOptions, 'names'> & { quick: boolean; accept: boolean }

const gateWith = ({ quick, against, all, json, accept }: Options): Command =>
  quick || against !== null || all || json
    ? { kind: 'wrong', problem: 'gate takes only --accept.' }
    : { kind: 'gate', accept }

const compareWith = (names: string[], { quick, against, all, json }: Options): Command =>
  quick
    ? { kind: 'wrong', problem: 'compare does not take --quick.' }
    : { kind: 'compare', names, against, all, json }

const runWith = (names: string[], { quick, against, all, json }: Options): Command =>
  against !== null || all || json
    ? { kind: 'wrong', problem: 'Only compare takes --against, --all and --json.' }
    : { kind: 'run', names, quick }
