import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { figureType } from '@probe-mesh/infra/testing/figure'
import { joinDocument } from './join-document.ts'
import { printedReport, reliabilityDocument, type Run } from './report.ts'
import { faultRows } from './rows.ts'
import { runStamp } from './run-stamp.ts'
import { verdictOf, type TestOutcome } from './verdict.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Prints the result of each fault, and writes `docs/reliability.md` after a run of all faults.
 * @param ids the requested faults
 */
export class FaultReporter implements Reporter {
  readonly #ids: ReadonlySet<string>

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids)
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const outcomes = modules.flatMap((module) => [...module.children.allTests()].map(outcomeOf))
    const rows = faultRows.filter(({ id }) => this.#ids.has(id))
    const run: Run = {
      ...runStamp(Date.now()),
      verdicts: rows.map((row) => verdictOf(row, outcomes)),
    }
    process.stdout.write(`\n${printedReport(run)}\n`)
    if (rows.length < faultRows.length) return
    await joinDocument(reliabilityDocument(run))
    process.stdout.write('written: docs/reliability.md\n')
  }
}

const outcomeOf = (test: TestCase): TestOutcome => {
  const { state } = test.result()
  const figures = test.annotations().filter(({ type }) => type === figureType)
  return {
    file: relative(root, test.module.moduleId),
    name: test.fullName,
    // a test that never ended did not pass
    state: state === 'pending' ? 'failed' : state,
    seconds: (test.diagnostic()?.duration ?? 0) / 1_000,
    figure: figures.length === 0 ? null : figures.map(({ message }) => message).join('; '),
  }
}
