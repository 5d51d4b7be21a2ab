import { cpuMsOfEndedChildren } from '../usage.ts'
import { kinds } from './configurations.ts'
import type { Kind } from './configurations.ts'
import type { CpuRecord } from './provider-cpu.ts'
import type { Stage } from './stage.ts'

/** Of one plan: the time it took, and the CPU of Terraform and of all that it started, ms. */
export type Run = { wallMs: number; cpuMs: number }

/** A plan of each kind, one after the other; what the provider took is of another plan of its kind. */
export type Round = Record<Kind, Run> & {
  requests: number
  /** CPU of each process of the provider, ms. */
  providerCpuMs: readonly number[]
}

/** @param from of what is measured: the kind that begins changes from round to round */
export const measureRound = async (
  round: number,
  stages: Readonly<Record<Kind, Stage>>,
  from: { takeRequests(): Promise<number>; record: CpuRecord },
): Promise<Round> => {
  await from.takeRequests()
  const runs: Partial<Record<Kind, Run>> = {}
  for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
    runs[kind] = await timed(() => stages[kind].plan())
  }
  const requests = await from.takeRequests()
  await stages.check.planRecorded()
  const { check, data } = runs
  if (check === undefined || data === undefined) throw new Error('a kind was not planned')
  return { check, data, requests, providerCpuMs: await from.record.take() }
}

const timed = async (act: () => Promise<void>): Promise<Run> => {
  const [cpuMs, from] = [cpuMsOfEndedChildren(), performance.now()]
  await act()
  return { wallMs: performance.now() - from, cpuMs: cpuMsOfEndedChildren() - cpuMs }
}
