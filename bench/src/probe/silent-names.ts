import { startChild } from '../harness/child.ts'
import { roundsOf } from '../harness/turns.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { median, percentile } from '../harness/statistics.ts'
import type { AgentQuestion } from './agent-process.ts'
import type { Beside } from './run-beside.ts'
import type { Slice } from './slice.ts'
import type { Targets } from './targets.ts'

const silent = 200
const perSecond = 200
const warmChecks = 1_000
/** How much longer a healthy check may take than without silent names, ms. */
const percentiles = [
  { label: 'p50', share: 0.5, movedMsMax: 2 },
  { label: 'p99', share: 0.99, movedMsMax: 50 },
] as const

/** Whether names without a DNS answer delay checks of other names; with and without them in turns. */
export const measureSilentNames = async (context: BenchContext, targets: Targets): Promise<void> => {
  const { quick, log } = context
  const seconds = quick ? 1 : 5
  const agent = startChild(new URL('agent-process.ts', import.meta.url))
  try {
    const ask = <Answer>(question: AgentQuestion): Promise<Answer> => agent.ask<Answer>(question)
    const warm = { byName: true, secure: false, count: quick ? 50 : warmChecks, inFlight: 50 }
    await ask<Slice>({ kind: 'slice', target: targets, ...warm })
    const without: Beside[] = []
    const beside: Beside[] = []
    for (let n = 1; n <= roundsOf(quick); n++) {
      log(`names, repeat ${n}: healthy checks alone, then beside ${silent} without an answer`)
      const question = { kind: 'beside', target: targets, perSecond, seconds } as const
      without.push(await ask<Beside>({ ...question, silent: 0 }))
      beside.push(await ask<Beside>({ ...question, silent }))
    }
    reportSilent(context, without, beside)
  } finally {
    await agent.close()
  }
}

const reportSilent = (
  { report }: BenchContext,
  without: readonly Beside[],
  beside: readonly Beside[],
): void => {
  for (const [what, of] of [
    ['latency', (one: Beside) => one.latencyMs],
    ['run', (one: Beside) => one.runMs],
  ] as const) {
    for (const { label, share, movedMsMax } of percentiles) {
      const runsOf = (all: readonly Beside[]) => all.map((one) => percentile(of(one), share))
      const alone = median(runsOf(without))
      const runs = runsOf(beside)
      report({
        figure: `healthy_${what}_${label}_beside_silent_names`,
        value: median(runs),
        unit: 'ms',
        aim: { atMost: Number((alone + movedMsMax).toPrecision(4)) },
        context: {
          runs,
          without: alone,
          unmeasured: median(beside.map(({ failed }) => failed)),
          silent,
          silentRuns: median(beside.map(({ silentRuns }) => silentRuns)),
          silentUnmeasured: median(beside.map(({ silentUnmeasured }) => silentUnmeasured)),
        },
      })
    }
  }
}
