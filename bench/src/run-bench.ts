import { figureLine, tableOf } from './figure.ts'
import type { Figure, FigureLine } from './figure.ts'
import { describeCommit, describeMachine } from './machine.ts'
import { measurePace } from './pace.ts'
import { appendResult } from './results.ts'

/** What a bench measures with. */
export type BenchContext = {
  /** Short windows and few repeats: to see that it works. */
  quick: boolean
  /** A commit to measure beside this one, where the bench can; null: none. */
  before: string | null
  /** Progress, for people. */
  say: (line: string) => void
  /** A figure is known. */
  report: (figure: Figure) => void
}

export type Bench = { about: string; measure: (context: BenchContext) => Promise<void> }

/** Runs a bench: a JSON line for each figure, then a table, then the run is added to its history. */
export const runBench = async (
  name: string,
  bench: Bench,
  options: {
    quick: boolean
    before: string | null
    say: (line: string) => void
    print: (line: string) => void
  },
): Promise<void> => {
  const { quick, before, say, print } = options
  const run = { date: new Date().toISOString(), commit: await describeCommit() }
  const machine = describeMachine()
  const paceBefore = measurePace()
  const figures: FigureLine[] = []
  say(
    `${name} at ${run.commit ?? 'no commit'}: ${machine.cores} x ${machine.cpu}, pace ${paceBefore} ms`,
  )
  try {
    await bench.measure({
      quick,
      before,
      say: (line) => say(`  ${line}`),
      report: (figure) => {
        const line = figureLine(name, figure)
        figures.push(line)
        print(JSON.stringify(line))
      },
    })
  } finally {
    if (figures.length > 0) {
      say(`\n${tableOf(figures)}\n`)
      if (quick) say('quick: not recorded')
      else {
        const pace = [paceBefore, measurePace()]
        say(`added to ${await appendResult(name, { ...run, machine, pace, figures })}`)
      }
    }
  }
}
