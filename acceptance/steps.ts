import type { Suite } from './suite.ts'
import { suitesOfEachChange } from './suites-of-each-change.ts'
import { longSuites, ownCommands, suites } from './suites.ts'

/** One process of a run: the files of suites in one Vitest, a program of a suite, or a command of npm. */
export type Step = {
  name: string
  /** Its log, as `.data/acceptance/<log>.log`. */
  log: string
  environment: Readonly<Record<string, string>>
} & (
  | { kind: 'tests'; suites: readonly Suite[] }
  | { kind: 'program'; program: string; flags: readonly string[] }
  | { kind: 'command'; script: readonly string[] }
)

type Environment = Step['environment']

const together = (chosen: readonly Suite[], environment: Environment): Step => ({
  kind: 'tests',
  name: 'suites of each change',
  log: 'each-change',
  suites: chosen,
  environment,
})
/** A suite in full, in a process of its own. */
const alone = (suite: Suite, environment: Environment = {}, flags: readonly string[] = []): Step => {
  const { name, program, inFull } = suite
  const step = { name, log: name.replaceAll('/', '-'), environment: { ...environment, ...inFull } }
  return program === undefined
    ? { ...step, kind: 'tests', suites: [suite] }
    : { ...step, kind: 'program', program, flags }
}
const command = (name: string, ...script: string[]): Step => ({
  kind: 'command',
  name,
  log: name,
  script,
  environment: {},
})

const gate = command('gate', 'bench', '--', 'gate')
const everything = (environment: Environment): Step[] => [
  together(
    suitesOfEachChange.filter(({ inFull }) => inFull === undefined),
    environment,
  ),
  ...[...suitesOfEachChange.filter(({ inFull }) => inFull !== undefined), ...longSuites].map((suite) =>
    alone(suite, environment),
  ),
]

/**
 * What the words of `npm run acceptance` run, in order: `each-change`, `nightly`, names of suites, or nothing
 * for all suites.
 * @param seed of generated input, new for each run in full
 */
export const stepsOf = (words: readonly string[], seed: number): Step[] => {
  const fresh = { FUZZ_SEED: String(seed), PROPERTY_SEED: String(seed) }
  switch (words[0]) {
    case undefined:
      return everything(fresh)
    case 'each-change':
      // the same input each time, so that only a change turns them red
      return [together(suitesOfEachChange, { FUZZ_SEED: '1' }), gate]
    case 'nightly':
      return [
        ...everything(fresh),
        ...ownCommands.map(({ name }) => name.replace('acceptance/', '')).map((name) => command(name, name)),
        command('planted', 'security', '--', 'planted'),
        gate,
      ]
    default:
      return suites
        .filter(({ name }) => words.some((word) => name.includes(word)))
        .map((suite) => alone(suite, fresh, words.slice(1)))
  }
}

/** The command that repeats a step, or one file of it. */
export const repeatOf = (step: Step, file?: string): string => {
  const variables = Object.entries(step.environment).map(([name, value]) => `${name}=${value} `)
  const repeated =
    step.kind === 'command'
      ? `npm run ${step.script.join(' ')}`
      : step.kind === 'program'
        ? `npm run acceptance -- ${step.name}`
        : `npm test -- ${file ?? step.suites.map(({ name }) => name).join(' ')}`
  return `${variables.join('')}${repeated}`
}
