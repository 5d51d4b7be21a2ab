// The thread that sees when the main thread does not return to its loop, and asks what it is doing.
import { Session } from 'node:inspector/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { beatAt, cpuAt, question } from './loop-beats.ts'
import type { Held, Work } from './loop-watch.ts'
import { pause } from './pause.ts'

const { shared, heldMsMax } = workerData as { shared: Float64Array; heldMsMax: number }
const tickMs = heldMsMax / 10

let [seen, ticks, asking] = [-1, 0, false]

/** @returns null for work without a name, or if the main thread gives no answer */
const ask = async (): Promise<Work | null> => {
  const session = new Session()
  try {
    session.connectToMainThread()
    const { result } = await session.post('Runtime.evaluate', { expression: question })
    return typeof result.value === 'string' ? (JSON.parse(result.value) as Work | null) : null
  } catch {
    return null
  } finally {
    session.disconnect()
  }
}

const look = async (): Promise<void> => {
  const [beat = 0, cpuBeforeMs = 0] = [shared[beatAt], shared[cpuAt]]
  // ticks, not a clock: a suspended machine holds no loop
  ticks = beat === seen ? ticks + 1 : 0
  seen = beat
  if (asking || ticks < 10) return
  asking = true
  const beganAt = performance.now() - ticks * tickMs
  const work = await ask()
  while (shared[beatAt] === beat) await pause(tickMs)
  asking = false
  ticks = 0
  // a main thread that got no CPU time held nothing
  if ((shared[cpuAt] ?? 0) - cpuBeforeMs < heldMsMax) return
  const held: Held = { work, ms: Math.round(performance.now() - beganAt) }
  parentPort?.postMessage(held, [])
}

setInterval(() => void look(), tickMs)
