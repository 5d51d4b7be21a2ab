import type { Aim } from '../figure.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import type { Round } from './rounds.ts'

/** Aims of a plan of one, of which the whole cost is starting, and of many. */
const overOfOne: Aim = { atMost: 250 }
const toDataOfMany: Aim = { atMost: 3 }
const many = 500

/** @param name of the task and the count, such as `noop_500` */
export const reportRounds = (
  report: BenchContext['report'],
  name: string,
  count: number,
  rounds: readonly Round[],
): void => {
  const medianOf = (value: (round: Round) => number): number => median(rounds.map(value))
  const tell = (what: string, unit: string, value: (round: Round) => number, aim?: Aim): void =>
    report({
      figure: `${name}_${what}`,
      value: medianOf(value),
      unit,
      ...(aim && { aim }),
      context: { runs: rounds.map(value) },
    })

  tell('wall', 'ms', ({ check }) => check.wallMs)
  tell('data_wall', 'ms', ({ data }) => data.wallMs)
  const overAim = count === 1 ? overOfOne : undefined
  tell('over_data', 'ms', ({ check, data }) => check.wallMs - data.wallMs, overAim)
  const ratioAim = count === many ? toDataOfMany : undefined
  tell('to_data', 'ratio', ({ check, data }) => check.wallMs / data.wallMs, ratioAim)
  tell('cpu', 'CPU ms', ({ check }) => check.cpuMs)
  tell('data_cpu', 'CPU ms', ({ data }) => data.cpuMs)
  tell('provider_cpu', 'CPU ms', ({ providerCpuMs }) => sum(providerCpuMs))
  tell('provider_starts', 'processes', ({ providerCpuMs }) => providerCpuMs.length)
  tell('requests', 'requests', ({ requests }) => requests, { atMost: 1 })
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
