import { askOnce } from '../child.ts'
import { growthFigure } from '../growth.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median, percentile } from '../statistics.ts'
import type { AgentAnswer, AgentQuestion } from './agent-process.ts'
import { startBareTimer } from './bare-timer.ts'

const script = new URL('agent-process.ts', import.meta.url)
const sizes = [
  { name: '1k', checks: 1_000 },
  { name: '10k', checks: 10_000 },
  { name: '100k', checks: 100_000 },
] as const

/** Of an agent with 10,000 checks, its process and all. */
const idleMibMax = 120

/** One repeat: the empty process and every size, with the control that ran beside the sizes. */
type Repeat = { idle: AgentAnswer; sized: AgentAnswer[]; control: number[] }

/** Lateness, CPU and memory of the real agent with runs that cost nothing, at every size. */
export const measureAgent = async (context: BenchContext): Promise<void> => {
  const { quick, say } = context
  const repeats: Repeat[] = []
  for (let n = 1; n <= repeatsOf(quick); n++) {
    const how = { warmMs: quick ? 2_000 : 5_000, windowMs: quick ? 5_000 : 20_000 }
    say(
      `agent, repeat ${n}: nothing, then ${sizes.map(({ checks }) => checks).join(', ')} checks of 60 s`,
    )
    const idle = await ask({ checks: 0, ...how })
    const timer = startBareTimer()
    const sized: AgentAnswer[] = []
    for (const { checks } of sizes) sized.push(await ask({ checks, ...how }))
    repeats.push({ idle, sized, control: timer.stop() })
  }
  reportLateness(context, repeats)
  reportCost(context, repeats)
  reportMemory(context, repeats)
}

const ask = async (question: AgentQuestion): Promise<AgentAnswer> => {
  const answer = await askOnce<AgentAnswer>(script, question)
  const { runsEver, overloadedEver, readingsEver } = answer
  if (runsEver + overloadedEver !== readingsEver) {
    throw new Error(
      `${runsEver} runs, ${overloadedEver} slots too late to run, ${readingsEver} readings in the stream`,
    )
  }
  return answer
}

const perSize = (repeats: readonly Repeat[]) =>
  sizes.map((size, at) => ({
    ...size,
    answers: repeats.flatMap(({ sized }) => sized.slice(at, at + 1)),
  }))

const reportLateness = ({ report }: BenchContext, repeats: readonly Repeat[]): void => {
  const control = (share: number) => repeats.map((repeat) => percentile(repeat.control, share))
  for (const { name, checks, answers } of perSize(repeats)) {
    const figures = [
      ['p50', 0.5, answers.map(({ lateP50 }) => lateP50)],
      ['p99', 0.99, answers.map(({ lateP99 }) => lateP99)],
      ['p999', 0.999, answers.map(({ lateP999 }) => lateP999)],
    ] as const
    for (const [label, share, runs] of figures) {
      report({
        figure: `agent_${name}_late_${label}`,
        value: median(runs),
        unit: 'ms',
        ...(label === 'p99' ? { aim: { atMost: 100 } } : {}),
        context: {
          checks,
          runs,
          bareTimer: median(control(share)),
          readingsPerWindow: median(answers.map(({ runs }) => runs)),
          checksPerSecond: median(answers.map((one) => one.runs / one.wallSeconds)),
        },
      })
    }
  }
  for (const [label, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
    ['p999', 0.999],
  ] as const) {
    const runs = control(share)
    report({
      figure: `bare_timer_late_${label}`,
      value: median(runs),
      unit: 'ms',
      context: { runs },
    })
  }
}

const reportCost = ({ report }: BenchContext, repeats: readonly Repeat[]): void => {
  /** An empty process over the same window costs this much, by repeat. */
  const idleOf = (at: number, wallSeconds: number): number => {
    const idle = repeats[at]?.idle
    return idle === undefined ? 0 : (idle.agentCpu / idle.wallSeconds) * wallSeconds
  }
  const costs = (answers: readonly AgentAnswer[], withIdle: boolean): number[] =>
    answers.map(({ agentCpu, runs, wallSeconds }, at) => {
      const own = withIdle ? agentCpu : agentCpu - idleOf(at, wallSeconds)
      return (own / runs) * 1_000
    })
  const series = perSize(repeats)
  report({
    figure: 'agent_idle_cpu_percent',
    value: median(repeats.map(({ idle }) => (idle.agentCpu / idle.wallSeconds) * 100)),
    unit: '% of a core',
  })
  for (const { name, checks, answers } of series) {
    report({
      figure: `agent_${name}_cpu_percent`,
      value: median(answers.map((one) => (one.agentCpu / one.wallSeconds) * 100)),
      unit: '% of a core',
      context: {
        checks,
        rssMiB: median(answers.map(({ rssMiB }) => rssMiB)),
        readingsPerMessage: median(answers.map(({ runs, messages }) => runs / messages)),
      },
    })
    for (const withIdle of [true, false]) {
      const runs = costs(answers, withIdle)
      report({
        figure: `agent_${name}_cpu_per_1000_checks${withIdle ? '' : '_less_idle'}`,
        value: median(runs),
        unit: 'CPU s',
        context: {
          checks,
          runs,
          standInForIngest: median(answers.map((one) => (one.readerCpu / one.runs) * 1_000)),
        },
      })
    }
  }
  const answersOf = (wanted: string): AgentAnswer[] =>
    series.find(({ name }) => name === wanted)?.answers ?? []
  for (const withIdle of [true, false]) {
    const smallCosts = costs(answersOf('10k'), withIdle)
    const runs = costs(answersOf('100k'), withIdle).map((cost, at) => cost / (smallCosts[at] ?? 0))
    report({
      figure: `agent_cost_per_check_100k_to_10k${withIdle ? '' : '_less_idle'}`,
      value: median(runs),
      unit: 'ratio',
      aim: { atMost: 1.15 },
      context: { runs },
    })
  }
  report(
    growthFigure({
      figure: 'agent_cpu',
      of: 'CPU of scheduling, spooling and publishing',
      in: 'checks of a minute',
      unit: '% of a core',
      steps: series.map(({ checks, answers }) => ({
        work: checks,
        cost: median(answers.map((one) => (one.agentCpu / one.wallSeconds) * 100)),
      })),
    }),
  )
}

const reportMemory = ({ report }: BenchContext, repeats: readonly Repeat[]): void => {
  const series = perSize(repeats).map(({ name, checks, answers }) => {
    const runs = answers.map(({ rssMiB }) => rssMiB)
    const aim = name === '10k' ? { aim: { atMost: idleMibMax } } : {}
    report({
      figure: `agent_${name}_memory`,
      value: median(runs),
      unit: 'MiB',
      ...aim,
      context: { runs },
    })
    return { work: checks, cost: median(runs) }
  })
  const [first, last] = [series.at(0), series.at(-1)]
  if (first === undefined || last === undefined) return
  report({
    figure: 'agent_memory_per_10000_checks',
    value: ((last.cost - first.cost) / (last.work - first.work)) * 10_000,
    unit: 'MiB',
  })
  report(
    growthFigure({
      figure: 'agent_memory',
      of: 'memory of an agent',
      in: 'checks of a minute',
      unit: 'MiB',
      steps: series,
    }),
  )
}
