import { withBundle, type BundledScript } from '../harness/bundled.ts'
import { askOnce } from '../harness/child.ts'
import { growthFigure } from '../harness/growth.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { median, percentile, ratios } from '../harness/statistics.ts'
import { roundsOf } from '../harness/turns.ts'
import type { AgentAnswer, AgentQuestion } from './agent-process.ts'

const sizes = [
  { name: '1k', checks: 1_000 },
  { name: '10k', checks: 10_000 },
  { name: '100k', checks: 100_000 },
] as const

/** The whole process of an agent with 10,000 checks. */
const memoryMibMax = 120
const lateMsMax = 100
/** How much more CPU a check may cost among 100,000 than among 10,000. */
const growthMax = 1.15

/** One agent of each size, and how late a timer without work fired meanwhile. */
type Repeat = { answers: AgentAnswer[]; control: number[] }

/** Lateness, CPU and memory of the real agent at every size; a run costs nothing. */
export const measureAgent = (context: BenchContext): Promise<void> =>
  withBundle('bench/src/path/agent-process.ts', (script) => measureBundled(context, script))

const measureBundled = async (context: BenchContext, script: BundledScript): Promise<void> => {
  const { quick, log } = context
  const repeats: Repeat[] = []
  for (let n = 1; n <= roundsOf(quick); n++) {
    const how = { warmMs: quick ? 2_000 : 5_000, windowMs: quick ? 5_000 : 20_000 }
    log(`agent, round ${n}: ${sizes.map(({ checks }) => checks).join(', ')} checks of 60 s`)
    const timer = startBareTimer()
    const answers: AgentAnswer[] = []
    for (const { checks } of sizes) answers.push(await ask(script, { checks, ...how }))
    repeats.push({ answers, control: timer.stop() })
  }
  const series = sizes.map((size, at) => ({
    ...size,
    answers: repeats.flatMap(({ answers }) => answers.slice(at, at + 1)),
  }))
  reportLateness(context, series, repeats)
  reportCost(context, series)
  reportMemory(context, series)
}

type Series = readonly { name: string; checks: number; answers: readonly AgentAnswer[] }[]

/** @throws where a run did not come out of the stream as a reading */
const ask = async (script: BundledScript, question: AgentQuestion): Promise<AgentAnswer> => {
  const answer = await askOnce<AgentAnswer>(script.url, question, script)
  const { runsEver, overloadedEver, readingsEver } = answer
  if (runsEver + overloadedEver !== readingsEver) {
    throw new Error(
      `${runsEver} runs and ${overloadedEver} slots without a run, but ${readingsEver} readings in the stream`,
    )
  }
  return answer
}

const reportLateness = ({ report }: BenchContext, series: Series, repeats: readonly Repeat[]): void => {
  for (const [label, share, lateOf] of [
    ['p50', 0.5, ({ lateP50 }: AgentAnswer) => lateP50],
    ['p99', 0.99, ({ lateP99 }: AgentAnswer) => lateP99],
  ] as const) {
    const control = repeats.map((repeat) => percentile(repeat.control, share))
    for (const { name, answers } of series) {
      report({
        figure: `agent_${name}_late_${label}`,
        runs: answers.map(lateOf),
        unit: 'ms',
        aim: label === 'p99' ? { atMost: lateMsMax } : undefined,
        context: { bareTimer: median(control) },
      })
    }
    report({ figure: `bare_timer_late_${label}`, runs: control, unit: 'ms' })
  }
}

const percentOf = ({ agentCpu, wallSeconds }: AgentAnswer): number => (agentCpu / wallSeconds) * 100
const costOf = ({ agentCpu, runs }: AgentAnswer): number => (agentCpu / runs) * 1_000

const reportCost = ({ report }: BenchContext, series: Series): void => {
  for (const { name, answers } of series) {
    report({
      figure: `agent_${name}_cpu_percent`,
      runs: answers.map(percentOf),
      unit: '% of a core',
      context: { readingsPerMessage: median(answers.map(({ runs, messages }) => runs / messages)) },
    })
    report({
      figure: `agent_${name}_cpu_per_1000_checks`,
      runs: answers.map(costOf),
      unit: 'CPU s',
    })
  }
  const [, some, many] = series.map(({ answers }) => answers.map(costOf))
  report({
    figure: 'agent_cost_per_check_100k_to_10k',
    runs: ratios(many ?? [], some ?? []),
    unit: 'ratio',
    aim: { atMost: growthMax },
  })
  report(
    growthFigure({
      figure: 'agent_cpu',
      of: 'scheduling, spooling and publishing',
      in: 'checks every 60 s',
      unit: '% of a core',
      steps: series.map(({ checks, answers }) => ({
        work: checks,
        cost: median(answers.map(percentOf)),
      })),
    }),
  )
}

const reportMemory = ({ report }: BenchContext, series: Series): void => {
  const steps = series.map(({ name, checks, answers }) => {
    const runs = answers.map(({ rssMiB }) => rssMiB)
    const aim = name === '10k' ? { atMost: memoryMibMax } : undefined
    report({ figure: `agent_${name}_memory`, runs, unit: 'MiB', aim })
    return { work: checks, cost: median(runs) }
  })
  const [first, last] = [steps.at(0), steps.at(-1)]
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
      in: 'checks every 60 s',
      unit: 'MiB',
      steps,
    }),
  )
}

/** The rate at which 10,000 checks of 60 s are due. */
const periodMs = 6

/**
 * The control for lateness: one timer without work, armed for instants as a scheduler is, in a process that
 * does nothing else. Its lateness is that of the machine.
 */
const startBareTimer = (): { stop(): number[] } => {
  const late: number[] = []
  let due = Date.now() + periodMs
  let timer: NodeJS.Timeout
  const fire = (): void => {
    const now = Date.now()
    for (; due <= now; due += periodMs) late.push(now - due)
    timer = setTimeout(fire, Math.max(0, Math.ceil(due - now)))
  }
  timer = setTimeout(fire, periodMs)
  return {
    stop: () => {
      clearTimeout(timer)
      return late
    },
  }
}
