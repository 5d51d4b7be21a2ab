import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
import type { Registry } from 'prom-client'
import { beatAt, cpuAt } from './loop-beats.ts'
import { createMetrics } from './metrics.ts'

/** Work on a loop that accounts share. */
export type Work = {
  kind: 'check' | 'request' | 'messages'
  /** The id of the check, the route, or the partition. */
  what: string
  /** Of a check. */
  region?: string
  /** The account; null: not known. */
  owner: string | null
  /** Of a request: what its client received as `X-Request-Id`. */
  requestId?: string
}

/** The loop did nothing else for this time, ms. `work` is null for work without a name. */
export type Held = { work: Work | null; ms: number }

const works = new AsyncLocalStorage<Work>()

/** Runs work under its name, with all that it starts. */
export const inWork = <T>(work: Work, act: () => T): T => works.run(work, act)

/** The current work; undefined outside of any. */
export const currentWork = (): Work | undefined => works.getStore()

/** Names the account of the current work when it becomes known. */
export const ownWork = (owner: string): void => {
  const work = works.getStore()
  if (work !== undefined) work.owner = owner
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
const listeners = new Set<(held: Held) => void>()

/** @returns ends it */
export const onHeld = (listener: (held: Held) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Reports work that holds the event loop of this process for more than a second, with CPU time and by name. The watch
 * is a thread: it asks the main thread through its inspector, which answers also in the middle of a regular expression.
 * A program starts one, before its parts.
 */
export const startLoopWatch = (heldMsMax = 1_000): { close(): Promise<void> } => {
  const shared = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT))
  const beat = (): void => {
    shared[cpuAt] = cpuMs()
    shared[beatAt] = (shared[beatAt] ?? 0) + 1
  }
  Object.defineProperty(globalThis, Symbol.for('probe-mesh.loop'), {
    configurable: true,
    value: () => JSON.stringify(works.getStore() ?? null),
  })
  const workerData = { shared, heldMsMax }
  const thread = new Worker(new URL('loop-watch-thread.ts', import.meta.url), {
    name: 'loop watch',
    workerData,
  })
  thread.on('message', (held: Held) => {
    for (const listener of listeners) listener(held)
  })
  // without the thread a hold has no name; nothing else depends on it
  thread.on('error', () => undefined)
  thread.unref()
  const timer = setInterval(beat, heldMsMax / 10).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await thread.terminate()
    },
  }
}

const shownMax = 5

/**
 * Counts and logs holds. The parts of a process share its loop, so each reports its own.
 * @param told.isOwn whether this part reports a hold by this work
 * @param told.effect the text of the log
 * @returns ends it
 */
export const reportHeld = (
  { registry, log }: { registry: Registry; log: { warn(about: object, text: string): void } },
  { isOwn, effect }: { isOwn: (work: Work | null) => boolean; effect: string },
): (() => void) => {
  const count = heldMetrics(registry)
  return onHeld((held) => {
    const { work, ms } = held
    if (!isOwn(work)) return
    count(held)
    log.warn(
      { kind: work?.kind ?? 'other', what: work?.what ?? null, accountId: work?.owner ?? null, ms },
      effect,
    )
  })
}

const counted = new WeakMap<Registry, (held: Held) => void>()

/** Counts holds, and shows the latest ones with what held the loop. The parts of a process share a registry. */
export const heldMetrics = (registry: Registry): ((held: Held) => void) => {
  const known = counted.get(registry)
  if (known !== undefined) return known
  const { counter, gauge } = createMetrics(registry)
  const total = counter(
    'loop_held_total',
    'Holds of the event loop for more than a second of CPU time.',
    'kind',
  )
  const seconds = gauge(
    'loop_held_seconds',
    'The latest holds, with what held the loop.',
    'kind',
    'what',
    'account',
  )
  const latest: Held[] = []
  const count = (held: Held): void => {
    total.inc({ kind: held.work?.kind ?? 'other' })
    latest.push(held)
    if (latest.length > shownMax) latest.shift()
    seconds.reset()
    for (const { work, ms } of latest) {
      const labels = { kind: work?.kind ?? 'other', what: work?.what ?? '', account: work?.owner ?? '' }
      seconds.set(labels, ms / 1_000)
    }
  }
  counted.set(registry, count)
  return count
}
