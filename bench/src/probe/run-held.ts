import type { BenchRunner } from './bench-runner.ts'
import { runInFlight } from './slice.ts'
import { heldPath } from './targets.ts'

/** So many checks at once, of targets that hold their answer. */
export type HeldQuestion = { secure: boolean; count: number }

/** Resident memory before and at most meanwhile, bytes. */
export type Held = { baseBytes: number; peakBytes: number; failed: number }

const warmChecks = 200
const warmInFlight = 20
const sampleMs = 5

/** Memory with all of them in flight, over that of the same process once it is warm. */
export const runHeld = async ({ secure, count }: HeldQuestion, run: BenchRunner): Promise<Held> => {
  const warmUp = async (n: number): Promise<void> => {
    await run({ name: `w${n}`, secure, path: '/' })
  }
  await runInFlight(warmChecks, warmInFlight, warmUp)
  globalThis.gc?.()
  const baseBytes = process.memoryUsage.rss()
  let peakBytes = baseBytes
  const look = (): void => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }
  const timer = setInterval(look, sampleMs)
  let failed = 0
  await runInFlight(count, count, async (n) => {
    const { verdict } = await run({ name: `c${n}`, secure, path: heldPath })
    if (verdict !== 'up') failed += 1
  })
  clearInterval(timer)
  look()
  return { baseBytes, peakBytes, failed }
}
