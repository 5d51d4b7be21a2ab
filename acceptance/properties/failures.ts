import { relative } from 'node:path'

/** The part of Vitest's JSON report that is read here. */
export type VitestReport = {
  numTotalTests: number
  testResults: {
    name: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

export type Failure = {
  file: string
  title: string
  seed: number
  /** Where fast-check found the smallest case, or `null` if no property failed. */
  path: string | null
  /** The counterexample, or the message of any other error. */
  case: string
}

const caseLengthMax = 600

const failureOf = (message: string): Pick<Failure, 'path' | 'case'> => {
  const [, path = null] = /\bpath: "([\d:]+)"/.exec(message) ?? []
  const [, counterexample = message] = /^Counterexample: ([^]*?)\nShrunk /m.exec(message) ?? []
  return { path, case: counterexample.slice(0, caseLengthMax) }
}

/** Lists the failed tests of a round, and the files that did not load. */
export const failuresOf = ({ testResults }: VitestReport, seed: number, root: string): Failure[] =>
  testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0 && message !== '') {
      return [{ file, title: '(the file)', seed, path: null, case: message.slice(0, caseLengthMax) }]
    }
    return failed.map(({ fullName, failureMessages }) => ({
      file,
      title: fullName,
      seed,
      ...failureOf(failureMessages.join('\n')),
    }))
  })

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

/** One row for each test that failed, with its first failure and how to repeat it. */
export const tableOf = (failures: readonly Failure[]): string => {
  const tests = Map.groupBy(failures, ({ file, title }) => `${file} ${title}`)
  if (tests.size === 0) return 'no property failed'
  return [
    '| test | failed | repeat with | path | case |',
    '| --- | --- | --- | --- | --- |',
    ...[...tests.values()].flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : `| ${cell(first.title)} | ${others.length + 1} times | \`PROPERTY_SEED=${first.seed} npm test -- ${first.file}\` | ${first.path ?? ''} | ${cell(first.case)} |`,
    ),
  ].join('\n')
}
