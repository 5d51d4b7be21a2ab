import type { BenchRunner } from './bench-runner.ts'
import { runInFlight } from './slice.ts'
import { heldPath } from './targets.ts'

/** Checks that start at once, of a target that holds its responses. */
export type HeldQuestion = { secure: boolean; count: number }

/** Resident memory before, and its peak, bytes. */
export type Held = { baseBytes: number; peakBytes: number; failed: number }

const warmChecks = 200
const warmInFlight = 20
const sampleMs = 5

/** Memory of the process when it is warm, and with all checks in flight. */
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
