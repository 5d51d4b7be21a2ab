import { cpuSecondsSince } from '../child.ts'

/** What the simulation's CPU is spent on, in the order of the path. */
export const stages = ['schedule', 'spool', 'publish', 'decode', 'store', 'judge'] as const
export type Stage = (typeof stages)[number]

/** CPU of this process by stage, seconds: user and system, with what the collector takes meanwhile. */
export const createStageMeter = () => {
  const seconds: Record<Stage, number> = {
    schedule: 0,
    spool: 0,
    publish: 0,
    decode: 0,
    store: 0,
    judge: 0,
  }
  return {
    seconds: seconds as Readonly<Record<Stage, number>>,
    measure: <Result>(stage: Stage, act: () => Result): Result => {
      const before = process.cpuUsage()
      const result = act()
      seconds[stage] += cpuSecondsSince(before)
      return result
    },
    /** Of one whose waiting nobody else fills. */
    measureWaiting: async <Result>(stage: Stage, act: () => Promise<Result>): Promise<Result> => {
      const before = process.cpuUsage()
      const result = await act()
      seconds[stage] += cpuSecondsSince(before)
      return result
    },
  }
}

export type StageMeter = ReturnType<typeof createStageMeter>
