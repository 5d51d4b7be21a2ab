import { figureLine, tableOf, type Figure, type FigureLine } from './figure.ts'
import { describeCommit, describeMachine } from './machine.ts'
import { measurePace } from './pace.ts'
import { recordResult } from './results.ts'

/** What a bench is given. */
export type BenchContext = {
  /** Short windows and few rounds, to see that it works. */
  quick: boolean
  /** Progress, for people. */
  log: (line: string) => void
  /** Prints and records a figure. */
  report: (figure: Figure) => void
}

/** Runs a bench: prints a JSON line per figure and a table, and adds the run to the bench's history. */
export const runBench = async (
  { name, measure }: { name: string; measure: (context: BenchContext) => Promise<void> },
  options: {
    quick: boolean
    log: (line: string) => void
    print: (line: string) => void
  },
): Promise<void> => {
  const { quick, log, print } = options
  const run = { date: new Date().toISOString(), commit: await describeCommit() }
  const machine = describeMachine()
  const paceBefore = measurePace()
  const figures: FigureLine[] = []
  log(`${name} at ${run.commit ?? 'no commit'}: ${machine.cores} x ${machine.cpu}, pace ${paceBefore} ms`)
  try {
    await measure({
      quick,
      log: (line) => log(`  ${line}`),
      report: (figure) => {
        const line = figureLine(name, figure)
        figures.push(line)
        print(JSON.stringify(line))
      },
    })
  } finally {
    if (figures.length > 0) {
      log(`\n${tableOf(figures)}\n`)
      if (quick) log('quick: not recorded')
      else {
        const pace = [paceBefore, measurePace()]
        log(`recorded in ${await recordResult(name, { ...run, machine, pace, figures })}`)
      }
    }
  }
}
