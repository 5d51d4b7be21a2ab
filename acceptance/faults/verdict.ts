import type { FaultRow, Proof } from './rows/row.ts'

/** What became of one test. */
export type TestOutcome = {
  /** From the root of the project. */
  file: string
  /** With the names of what it is part of. */
  name: string
  state: 'passed' | 'failed' | 'skipped'
  seconds: number
  /** What it measured, in words, where it says so. */
  figure: string | null
}

export type Verdict = {
  row: FaultRow
  /** `unproven` where a proof did not run: what did not run shows nothing. */
  verdict: 'kept' | 'broken' | 'unproven'
  figure: string
}

/** A promise is kept where all of its proofs ran and passed. */
export const verdictOf = (row: FaultRow, outcomes: readonly TestOutcome[]): Verdict => {
  const tests = row.proofs.map((proof) => outcomes.filter((outcome) => isOf(proof, outcome)))
  const all = [...new Set(tests.flat())]
  const isBroken = all.some(({ state }) => state === 'failed')
  const isWhole = tests.every(
    (some) => some.length > 0 && some.every(({ state }) => state !== 'skipped'),
  )
  return {
    row,
    verdict: isBroken ? 'broken' : isWhole ? 'kept' : 'unproven',
    figure: figureOf(all),
  }
}

const isOf = ({ file, test }: Proof, outcome: TestOutcome): boolean =>
  outcome.file === file && (test === undefined || outcome.name.includes(test))

const figureOf = (tests: readonly TestOutcome[]): string => {
  const passed = tests.filter(({ state }) => state === 'passed').length
  const seconds = tests.reduce((sum, test) => sum + test.seconds, 0)
  const counted = `${passed} of ${tests.length} tests in ${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  return [...tests.flatMap(({ figure }) => (figure === null ? [] : [figure])), counted].join('; ')
}
