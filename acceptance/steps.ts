import { longSuites, ownCommands, suites, suitesOfEachChange } from './suites.ts'
import type { Suite } from './suites.ts'

/** One process of a run: the files of suites in one Vitest, or another command of npm. */
export type Step = {
  name: string
  /** Its log, as `.data/acceptance/<log>.log`. */
  log: string
  environment: Readonly<Record<string, string>>
} & ({ kind: 'tests'; suites: readonly Suite[] } | { kind: 'command'; script: readonly string[] })

type Environment = Step['environment']

const together = (chosen: readonly Suite[], environment: Environment): Step => ({
  kind: 'tests',
  name: 'suites of each change',
  log: 'each-change',
  suites: chosen,
  environment,
})
/** A suite in full, in a process of its own. */
const alone = (suite: Suite, environment: Environment = {}): Step => ({
  kind: 'tests',
  name: suite.name,
  log: suite.name.replaceAll('/', '-'),
  suites: [suite],
  environment: { ...environment, ...suite.inFull },
})
const command = (name: string, script: readonly string[], environment: Environment = {}): Step => ({
  kind: 'command',
  name,
  log: name,
  script,
  environment,
})

const gate = command('gate', ['bench', '--', 'gate'])
const isShort = (suite: Suite): boolean => suite.inFull === undefined
const night = (environment: Environment): Step[] => [
  together(suitesOfEachChange.filter(isShort), environment),
  ...suites
    .filter((suite) => !isShort(suite) || longSuites.includes(suite))
    .map((suite) => alone(suite, environment)),
]

/**
 * What the words of `npm run acceptance` run, in order: `each-change`, `nightly`, names of suites, or nothing
 * for all suites.
 * @param seed of the generated inputs of a night, new each time
 */
export const stepsOf = (words: readonly string[], seed: number): Step[] => {
  const fresh = { FUZZ_SEED: String(seed) }
  switch (words[0]) {
    case undefined:
      return night(fresh)
    case 'each-change':
      // the same inputs each time, so that only a change turns them red
      return [together(suitesOfEachChange, { FUZZ_SEED: '1' }), gate]
    case 'nightly':
      return [
        ...night(fresh),
        ...ownCommands.map(({ name }) => name.replace('acceptance/', '')).map((name) => command(name, [name])),
        gate,
        command('properties', ['acceptance', '--', 'properties']),
      ]
    default:
      return suites.filter(({ name }) => words.some((word) => name.includes(word))).map((suite) => alone(suite))
  }
}

/** The command that repeats a step, or one file of it. */
export const repeatOf = (step: Step, file?: string): string => {
  const variables = Object.entries(step.environment).map(([name, value]) => `${name}=${value} `)
  const command =
    step.kind === 'command'
      ? `npm run ${step.script.join(' ')}`
      : `npm test -- ${file ?? step.suites.map(({ name }) => name).join(' ')}`
  return `${variables.join('')}${command}`
}
