import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '../harness/statistics.ts'
import type { BenchRunner } from './bench-runner.ts'

/** Checks that are due within some time, spread as slots are. */
export type TogetherQuestion = { secure: boolean; count: number; withinMs: number; alone: number }

/** Connect times of the readings that have one, ms. */
export type Together = { alone: number[]; together: number[]; unmeasured: number }

const restMs = 20
const seed = 4

/** Measures connect times of single checks with pauses, and of many checks together. */
export const runTogether = async (
  { secure, count, withinMs, alone }: TogetherQuestion,
  run: BenchRunner,
): Promise<Together> => {
  let checks = 0
  const connectMs = async (): Promise<number | null> => {
    const { timings } = await run({ name: `c${checks++}`, secure, path: '/' })
    return timings.connectMs
  }
  const one: (number | null)[] = []
  for (let n = 0; n < alone; n++) {
    one.push(await connectMs())
    await wait(restMs)
  }
  const random = createRandom(seed)
  const due = Array.from({ length: count }, () => random() * withinMs).toSorted((a, b) => a - b)
  const startedAt = performance.now()
  const running: Promise<number | null>[] = []
  for (const at of due) {
    while (performance.now() - startedAt < at) await wait(1)
    running.push(connectMs())
  }
  const many = await Promise.all(running)
  return {
    alone: one.filter((ms) => ms !== null),
    together: many.filter((ms) => ms !== null),
    unmeasured: many.filter((ms) => ms === null).length,
  }
}
