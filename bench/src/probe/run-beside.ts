import { setTimeout as wait } from 'node:timers/promises'
import type { BenchRunner } from './bench-runner.ts'

/** Healthy checks at a fixed rate, beside checks whose names get no DNS answer. */
export type BesideQuestion = { silent: number; perSecond: number; seconds: number }

/** Of the healthy checks, ms: the latency of the reading, and from the call of the run to the reading. */
export type Beside = {
  latencyMs: number[]
  runMs: number[]
  failed: number
  /** Runs of names without an answer that ended meanwhile, and how many of them were `unmeasured`. */
  silentRuns: number
  silentUnmeasured: number
}

/** Keeps the silent ones in flight: when one ends, another starts. */
export const runBeside = async (
  { silent, perSecond, seconds }: BesideQuestion,
  run: BenchRunner,
): Promise<Beside> => {
  const beside: Beside = { latencyMs: [], runMs: [], failed: 0, silentRuns: 0, silentUnmeasured: 0 }
  const pace = { over: false }
  const keepSilent = async (n: number): Promise<void> => {
    for (let round = 0; !pace.over; round++) {
      const { verdict } = await run({ name: `s${n}-${round}.silent`, secure: false, path: '/' })
      beside.silentRuns += 1
      if (verdict === 'unmeasured') beside.silentUnmeasured += 1
    }
  }
  const healthy = async (n: number): Promise<void> => {
    const startedAt = performance.now()
    const { latencyMs } = await run({ name: `c${n}`, secure: false, path: '/' })
    beside.runMs.push(performance.now() - startedAt)
    if (latencyMs === null) beside.failed += 1
    else beside.latencyMs.push(latencyMs)
  }
  const silentOnes = Array.from({ length: silent }, (_, n) => keepSilent(n))
  const startedAt = performance.now()
  const running: Promise<void>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueAt = startedAt + (n * 1_000) / perSecond
    while (performance.now() < dueAt) await wait(1)
    running.push(healthy(n))
  }
  await Promise.all(running)
  pace.over = true
  await Promise.all(silentOnes)
  return beside
}
