import { cpuSecondsSince } from '../harness/usage.ts'

/** The work of every contender. */
export type SliceQuestion = { secure: boolean; count: number; inFlight: number }

/** What a slice of checks took: user and system CPU of the probing process, all its threads. */
export type Slice = { count: number; cpuSeconds: number; wallSeconds: number; failed: number }

/** Times checks by this process. @param check returns whether the target answered as expected */
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

/** Calls `act` with 0 to `count - 1`, `inFlight` calls at a time. */
export const runInFlight = async (
  count: number,
  inFlight: number,
  act: (n: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1
      await act(next - 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, inFlight) }, work))
}
