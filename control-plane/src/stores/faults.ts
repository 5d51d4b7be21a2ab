import { backoffMs } from '@probe-mesh/runtime/backoff'
import { messageOf } from '@probe-mesh/runtime/errors'
import { startLoop, type Loop } from '@probe-mesh/runtime/loop'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import { storeFaultOf, type StoreName, type StoreState } from './store-fault.ts'

/** A fault without a failure for this long is over, so that work which alternates does not fill the log, ms. */
const quietMs = 3_000
/** Work that was not tried again for this long, because there is none left, does not fail any more, ms. */
const untriedMs = 60_000
/** A failed request counts for this long, because nothing here repeats it, ms. */
const requestMs = 10_000
/** Waits of a loop that fails, ms: at first its own pace. */
const firstWaitMs = 1_000
const waitMsMax = 5_000

/** A loop, a step of it, or one statement that is repeated. @param what cannot be done, for people */
export type Work = { readonly what: string; readonly store?: StoreName }

/** A store that refuses, or work of our own that fails. */
export type OpenFault = {
  /** null: a broken connection that names no store. */
  store: StoreName | 'program' | null
  state: StoreState | 'error'
  /** The message of the store, and what waits for it. */
  message: string
  waiting: string[]
}

/**
 * What does not work in this process, whatever the reason. One line is logged when a fault begins and one when it
 * ends, with its count, however many loops meet it.
 */
export type Faults = {
  failed(work: Work, error: unknown): void
  /** The work succeeded, or is given up. */
  worked(work: Work): void
  /** A request failed, which nothing here repeats. */
  refused(error: unknown): void
  /** Runs work once. @returns false if it failed: it is reported, and the caller repeats it */
  attempt(work: Work, act: () => Promise<unknown>): Promise<boolean>
  open(): OpenFault[]
  /** All failures since the start. */
  readonly counts: readonly FailureCount[]
}

type FailureCount = { store: string; state: string; failures: number }

/** The part of a log that tells of faults. */
type FaultLog = Pick<Logger, 'warn' | 'info'>

type Kept = OpenFault & {
  /** When each failed last. */
  works: Map<Work, number>
  beganAtMs: number
  failedAtMs: number
  untilMs: number
  failures: number
}

/** @param nowMs monotonic */
export const createFaults = (log: FaultLog, nowMs: () => number = () => performance.now()): Faults => {
  const kept = new Map<string, Kept>()
  const places = new Map<Work, Kept>()
  const counts = new Map<string, FailureCount>()

  const leave = (work: Work): void => {
    places.get(work)?.works.delete(work)
    places.delete(work)
  }
  const endQuiet = (): void => {
    const at = nowMs()
    for (const [key, fault] of kept) {
      for (const [work, failedAtMs] of fault.works) if (at - failedAtMs >= untriedMs) leave(work)
      if (fault.works.size > 0 || at < fault.untilMs || at - fault.failedAtMs < quietMs) continue
      kept.delete(key)
      const seconds = Math.round((fault.failedAtMs - fault.beganAtMs) / 1_000)
      const { store, state } = fault
      log.info({ store, state, failures: fault.failures, seconds }, 'what failed works again')
    }
  }
  const add = (what: string, error: unknown, asked: StoreName | undefined): Kept => {
    endQuiet()
    const found = storeFaultOf(error, asked ?? null)
    const store = found === null ? 'program' : found.store
    const state = found?.state ?? 'error'
    const count = counts.get(`${store} ${state}`) ?? { store: store ?? 'unknown', state, failures: 0 }
    counts.set(`${store} ${state}`, { ...count, failures: count.failures + 1 })
    // errors of our own differ by what failed
    const key = `${store} ${state} ${found === null ? what : ''}`
    const at = nowMs()
    let fault = kept.get(key)
    if (fault === undefined) {
      const begun = { works: new Map<Work, number>(), beganAtMs: at, untilMs: 0, failures: 0, waiting: [] }
      fault = { store, state, message: messageOf(error), failedAtMs: at, ...begun }
      kept.set(key, fault)
      log.warn({ err: error, store, state }, `${what}; retrying. Further failures are counted`)
    }
    fault.failures += 1
    fault.failedAtMs = at
    return fault
  }
  const failed = (work: Work, error: unknown): void => {
    const fault = add(work.what, error, work.store)
    if (places.get(work) !== fault) leave(work)
    places.set(work, fault)
    fault.works.set(work, nowMs())
  }
  const open = (): OpenFault[] => {
    endQuiet()
    return [...kept.values()].map(({ store, state, message, works }) => ({
      store,
      state,
      message,
      waiting: [...new Set([...works.keys()].map(({ what }) => what))],
    }))
  }
  return {
    failed,
    worked: leave,
    refused: (error) => {
      add('a request failed', error, undefined).untilMs = nowMs() + requestMs
    },
    attempt: async (work, act) => {
      try {
        await act()
        leave(work)
        return true
      } catch (error) {
        failed(work, error)
        return false
      }
    },
    open,
    get counts() {
      return [...counts.values()]
    },
  }
}

const known = new WeakMap<FaultLog, Faults>()

/** The faults that a log tells of: those of its process. */
export const faultsOf = (log: FaultLog): Faults => {
  const faults = known.get(log) ?? createFaults(log)
  known.set(log, faults)
  return faults
}

export const showFaults = (registry: Registry, faults: Faults): void => {
  const labelNames = ['store', 'state'] as const
  const registers = [registry]
  const now: Gauge<'store' | 'state'> = new Gauge({
    name: 'store_faults',
    help: '1 while a store refuses work of this process, by state: unavailable, read_only, disk_full, forbidden, missing, blocked, failing, refuses; store program: an error of our own',
    labelNames,
    registers,
    collect: () => {
      now.reset()
      for (const { store, state } of faults.open()) now.set({ store: store ?? 'unknown', state }, 1)
    },
  })
  const total: Counter<'store' | 'state'> = new Counter({
    name: 'store_failures_total',
    help: 'Statements and rounds of loops that failed, by store and state; each is repeated',
    labelNames,
    registers,
    collect: () => {
      total.reset()
      for (const { failures, ...labels } of faults.counts) total.inc(labels, failures)
    },
  })
}

type LoopOptions = Parameters<typeof startLoop>[0]

/**
 * Starts a loop that no error ends: a failed round is reported as a fault, and repeated after a wait that doubles up
 * to 5 s.
 * @param options.what cannot be done while its rounds fail, for people
 */
export const keepLooping = (
  log: FaultLog,
  { what, round, ...options }: Omit<LoopOptions, 'onError'> & { what: string },
): Loop => {
  const faults = faultsOf(log)
  const work: Work = { what }
  const usualMs = (): number => (typeof options.everyMs === 'number' ? options.everyMs : options.everyMs())
  const loop = startLoop({
    retryMs: (failures) =>
      backoffMs({ firstMs: Math.min(firstWaitMs, usualMs()), maxMs: waitMsMax }, failures),
    ...options,
    round: async (signal) => {
      const next = await round(signal)
      faults.worked(work)
      return next
    },
    onError: (error, signal) => {
      if (!signal.aborted) faults.failed(work, error)
    },
  })
  return {
    ...loop,
    close: async () => {
      await loop.close()
      faults.worked(work)
    },
  }
}
