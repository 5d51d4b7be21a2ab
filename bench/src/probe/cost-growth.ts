import type { Child } from '../child.ts'
import { growthFigure } from '../growth.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import type { AgentQuestion } from './agent-process.ts'
import type { Slice } from './slice.ts'
import type { Targets } from './targets.ts'

/**
 * What a tenth, all and ten times the checks of a round cost an agent that is warm.
 * @param count of a round
 */
export const measureCostGrowth = async (
  { quick, say, report }: BenchContext,
  agent: Child,
  target: Pick<Targets, 'httpPort' | 'httpsPort' | 'ca' | 'namesPort'>,
  {
    name,
    secure,
    count,
    inFlight,
  }: { name: string; secure: boolean; count: number; inFlight: number },
): Promise<void> => {
  const works = quick ? [count / 10, count] : [count / 10, count, count * 10]
  const costs = works.map((): number[] => [])
  for (let round = 1; round <= repeatsOf(quick); round++) {
    say(`${name}, growth, round ${round}: ${works.join(', ')} checks`)
    for (const [at, work] of works.entries()) {
      const slice = await agent.ask<Slice>({
        kind: 'slice',
        byName: true,
        target,
        secure,
        count: work,
        inFlight,
      } satisfies AgentQuestion)
      costs[at]?.push(slice.cpuSeconds)
    }
  }
  report(
    growthFigure({
      figure: `${name}_agent_cpu`,
      of: `${name} checks of a whole agent`,
      in: 'checks',
      unit: 'CPU s',
      steps: works.map((work, at) => ({ work, cost: median(costs[at] ?? []) })),
    }),
  )
}
