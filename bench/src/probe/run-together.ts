import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '../harness/statistics.ts'
import type { BenchRunner } from './bench-runner.ts'

/** So many checks that are due within some time, at instants that are spread as slots are. */
export type TogetherQuestion = { secure: boolean; count: number; withinMs: number; alone: number }

/** Connect times as the readings tell them, ms; those without one are left out. */
export type Together = { alone: number[]; together: number[]; unmeasured: number }

const restMs = 20
const seed = 4

/** The connect times of checks run alone, one after another with a rest, and of many together. */
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
