import { cpuSecondsSince } from '../child.ts'
import { runInFlight } from './in-flight.ts'

/** What is asked of everybody who is compared: so many checks, so many of them in flight. */
export type SliceQuestion = { secure: boolean; count: number; inFlight: number }

/** What they took: user and system CPU of the process that checked, all its threads. */
export type Slice = { count: number; cpuSeconds: number; wallSeconds: number; failed: number }

/** Times checks that this process makes. @param check whether the target was found as it is */
export const timeSlice = async (
  { count, inFlight }: SliceQuestion,
  check: (n: number) => Promise<boolean>,
): Promise<Slice> => {
  let failed = 0
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  await runInFlight(count, inFlight, async (n) => {
    if (!(await check(n))) failed += 1
  })
  const cpuSeconds = cpuSecondsSince(cpu)
  return { count, cpuSeconds, wallSeconds: (performance.now() - startedAt) / 1_000, failed }
}
