import type { FaultRow, Proof } from './rows/row.ts'

/** The result of one test. */
export type TestOutcome = {
  /** Relative to the project root. */
  file: string
  /** With the titles of its groups. */
  name: string
  state: 'passed' | 'failed' | 'skipped'
  seconds: number
  /** Its measured figure as text, if any. */
  figure: string | null
}

export type Verdict = {
  row: FaultRow
  /** `unproven` if a proof did not run. */
  verdict: 'kept' | 'broken' | 'unproven'
  /** What its tests measured. */
  measured: readonly string[]
  /** How many of its tests passed, and in what time. */
  passed: string
}

/** A promise is kept if all its proofs ran and passed. */
export const verdictOf = (row: FaultRow, outcomes: readonly TestOutcome[]): Verdict => {
  const tests = row.proofs.map((proof) => outcomes.filter((outcome) => isOf(proof, outcome)))
  const all = [...new Set(tests.flat())]
  const isBroken = all.some(({ state }) => state === 'failed')
  const isWhole = tests.every((some) => some.length > 0 && some.every(({ state }) => state !== 'skipped'))
  return {
    row,
    verdict: isBroken ? 'broken' : isWhole ? 'kept' : 'unproven',
    measured: all.flatMap(({ figure }) => (figure === null ? [] : [figure])),
    passed: passedOf(all),
  }
}

const isOf = ({ file, test }: Proof, outcome: TestOutcome): boolean =>
  outcome.file === file && (test === undefined || outcome.name.includes(test))

const passedOf = (tests: readonly TestOutcome[]): string => {
  const passed = tests.filter(({ state }) => state === 'passed').length
  const seconds = tests.reduce((sum, test) => sum + test.seconds, 0)
  return `${passed} of ${tests.length} tests in ${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
}
