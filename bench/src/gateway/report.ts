import type { Child } from '../child.ts'
import type { BenchContext } from '../run-bench.ts'
import { growthFigure } from '../growth.ts'
import type { Run } from '../served-load.ts'
import { median } from '../statistics.ts'

export type Server = { child: Child; url: string; authorization: string }
export type Round = Record<
  | 'listGateway'
  | 'listHand'
  | 'listExample'
  | 'callGateway'
  | 'callHand'
  | 'callExample'
  | 'callSome'
  | 'callMany',
  Run
>

const names: Readonly<Record<keyof Round, string>> = {
  listGateway: 'list',
  listHand: 'list_by_hand',
  listExample: 'list_sdk_example',
  callGateway: 'call',
  callHand: 'call_by_hand',
  callExample: 'call_sdk_example',
  callSome: 'call_of_1000',
  callMany: 'call_of_10000',
}

export const reportGateway = ({ report }: BenchContext, rounds: readonly Round[]): void => {
  for (const [part, name] of Object.entries(names) as [keyof Round, string][]) {
    const of = (figure: keyof Run): number[] => rounds.map((round) => round[part][figure])
    for (const [suffix, figure, unit] of [
      ['requests_per_second', 'requestsPerSecond', 'requests/s'],
      ['cpu_per_request', 'cpuMs', 'CPU ms'],
      ['latency_p99', 'latencyP99Ms', 'ms'],
    ] as const) {
      const runs = of(figure)
      report({ figure: `${name}_${suffix}`, value: median(runs), unit, context: { runs } })
    }
  }
  for (const [figure, part, by, aim] of [
    ['list_to_by_hand', 'listGateway', 'listHand', { atMost: 3 }],
    ['list_sdk_example_to_ours', 'listExample', 'listGateway', { atLeast: 6 }],
    ['call_to_by_hand', 'callGateway', 'callHand', { atMost: 2 }],
    ['call_sdk_example_to_ours', 'callExample', 'callGateway', { atLeast: 6 }],
    ['call_growth_10_to_10000', 'callMany', 'callGateway', { atMost: 1.1 }],
  ] as const) {
    const runs = rounds.map((round) => round[part].cpuMs / round[by].cpuMs)
    report({ figure, value: median(runs), unit: 'ratio of CPU', aim, context: { runs } })
  }
  const cpuOf = (part: keyof Round): number => median(rounds.map((round) => round[part].cpuMs))
  report(
    growthFigure({
      figure: 'call_cpu',
      of: 'MCP `tools/call`',
      in: 'services in the catalog',
      unit: 'CPU ms',
      steps: [
        { work: 10, cost: cpuOf('callGateway') },
        { work: 1_000, cost: cpuOf('callSome') },
        { work: 10_000, cost: cpuOf('callMany') },
      ],
    }),
  )
}
