import { startChild } from '../harness/child.ts'
import { roundsOf } from '../harness/turns.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { median } from '../harness/statistics.ts'
import type { AgentQuestion } from './agent-process.ts'
import type { Together } from './run-together.ts'
import type { Slice } from './slice.ts'
import type { Targets } from './targets.ts'

const warmChecks = 1_000
const withinMs = 1_000
/** How much longer connect times may be: a tenth, but at least this much. */
const movedMsMax = 2
const movedShareMax = 0.1

/** Whether an agent with many checks at once measures longer connect times than an idle one. */
export const measureInflation = async (context: BenchContext, targets: Targets): Promise<void> => {
  const { quick, log } = context
  const count = quick ? 100 : 2_000
  const alone = quick ? 5 : 30
  for (const [name, secure] of [
    ['http', false],
    ['https', true],
  ] as const) {
    const agent = startChild(new URL('agent-process.ts', import.meta.url))
    try {
      const ask = <Answer>(question: AgentQuestion): Promise<Answer> => agent.ask<Answer>(question)
      const base = { target: targets, secure }
      await ask<Slice>({
        kind: 'slice',
        byName: true,
        ...base,
        count: quick ? 50 : warmChecks,
        inFlight: 50,
      })
      const spread: Together[] = []
      const atOnce: Together[] = []
      for (let n = 1; n <= roundsOf(quick); n++) {
        log(`connect times, repeat ${n}: ${count} ${name} checks within a second, then at once`)
        spread.push(await ask<Together>({ kind: 'together', ...base, count, withinMs, alone }))
        atOnce.push(await ask<Together>({ kind: 'together', ...base, count, withinMs: 0, alone }))
      }
      reportInflation(context, name, count, spread, atOnce)
    } finally {
      await agent.close()
    }
  }
}

const reportInflation = (
  { report }: BenchContext,
  protocol: string,
  count: number,
  spread: readonly Together[],
  atOnce: readonly Together[],
): void => {
  const alone = [...spread, ...atOnce].map((one) => median(one.alone))
  const expected = median(alone)
  const most = Math.max(expected + movedMsMax, expected * (1 + movedShareMax))
  report({
    figure: `${protocol}_connect_p50_alone`,
    value: expected,
    unit: 'ms',
    context: { runs: alone },
  })
  const runs = spread.map((one) => median(one.together))
  report({
    figure: `${protocol}_connect_p50_within_a_second`,
    value: median(timed(runs)),
    unit: 'ms',
    aim: { atMost: Number(most.toPrecision(4)) },
    context: {
      runs: timed(runs),
      checks: count,
      unmeasured: median(spread.map((one) => one.unmeasured)),
      atOnce: median(timed(atOnce.map((one) => median(one.together)))),
      atOnceUnmeasured: median(atOnce.map((one) => one.unmeasured)),
    },
  })
}

/** Without rounds in which no reading had a connect time, because the agent's event loop stood still. */
const timed = (values: readonly number[]): number[] => values.filter(Number.isFinite)
