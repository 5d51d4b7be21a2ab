import { backoffMs, fullJitter } from '@probe-mesh/runtime/backoff'
import { runLoop } from '@probe-mesh/runtime/loop'
import { pause } from '@probe-mesh/runtime/pause'
import type { Logger } from './logger.ts'
import { BusUnavailable, type Bus } from './port.ts'

/** The first wait is at most this; each later bound doubles. */
const firstWaitMsMax = 250
export const waitMsMax = 5_000
/** The bound of the wait when the server refuses rather than is unavailable. */
const refusedWaitMsMax = 120_000
/** How long closing waits for an attempt in progress; a bus that opens later is closed too. */
const closeMsMax = 5_000

/**
 * A bus that exists before its server: the process starts and reports that it has no bus, instead of crashing
 * in a loop. `open` is retried until it resolves, with full jitter so that agents do not all reconnect at
 * once. Until then every operation is unavailable and events are dropped. `onReturn` listeners are called at
 * the first opening too.
 */
export const openLateBus = (options: {
  open: () => Promise<Bus>
  log: Logger
  /**
   * Called for each attempt that fails for a reason other than an unavailable server; absent: it is logged.
   */
  onRefused?: (error: unknown) => void
}): Bus & {
  isOpen(): boolean
  /** Resolves when it is open, or its server was unavailable once. */
  tried: Promise<void>
} => {
  const { log } = options
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const tried = Promise.withResolvers<void>()
  let opened: Bus | null = null

  const tellReturn = () => {
    for (const listener of listeners) {
      try {
        listener()
      } catch (error) {
        log.error({ err: error }, 'a listener for the return of the bus threw')
      }
    }
  }
  const tryOnce = async (): Promise<'open' | 'away' | 'refused'> => {
    try {
      const bus = await options.open()
      if (closing.signal.aborted) {
        await bus.close()
        return 'open'
      }
      opened = bus
      bus.onReturn(tellReturn)
    } catch (error) {
      const isAway = error instanceof BusUnavailable
      if (isAway) log.warn({ err: error }, 'the bus cannot be opened yet')
      else if (options.onRefused !== undefined) options.onRefused(error)
      else log.error({ err: error }, 'the bus could not be opened; retrying')
      if (isAway) tried.resolve()
      return isAway ? 'away' : 'refused'
    }
    log.info({}, 'the bus is open')
    tried.resolve()
    tellReturn()
    return 'open'
  }
  let tries = 0
  let bounds = { firstMs: firstWaitMsMax, maxMs: waitMsMax }
  const opening = runLoop({
    signal: closing.signal,
    round: async () => {
      const outcome = await tryOnce()
      if (outcome === 'open') return 'end'
      tries += 1
      bounds = { ...bounds, maxMs: outcome === 'away' ? waitMsMax : refusedWaitMsMax }
      return undefined
    },
    everyMs: () => fullJitter(backoffMs(bounds, tries), Math.random()),
    onError: (error) => {
      throw error
    },
  }).catch((error: unknown) => {
    log.error({ err: error }, 'a bus that opened after closing could not be closed')
  })

  const on = async <T>(use: (bus: Bus) => Promise<T>): Promise<T> => {
    if (opened !== null) return use(opened)
    const state = closing.signal.aborted ? 'is closed' : 'is not open yet'
    throw new BusUnavailable(`the bus ${state}`)
  }

  return {
    isOpen: () => opened !== null,
    tried: tried.promise,
    ...operations(on),
    events: {
      publish: (kind, payload) => opened?.events.publish(kind, payload),
      deliver: (events) => on((bus) => bus.events.deliver(events)),
      subscribe: (kind, handler) => on((bus) => bus.events.subscribe(kind, handler)),
    },
    onReturn: (listener) => {
      // A wrapper, so that the same listener registered twice is called twice.
      const entry = () => listener()
      listeners.add(entry)
      return {
        close: async () => {
          listeners.delete(entry)
        },
      }
    },
    close: async () => {
      closing.abort()
      tried.resolve()
      listeners.clear()
      const waited = new AbortController()
      await Promise.race([opening, pause(closeMsMax, waited.signal)])
      waited.abort()
      await opened?.close()
    },
  }
}

type On = <T>(use: (bus: Bus) => Promise<T>) => Promise<T>

const operations = (
  on: On,
): Pick<Bus, 'assignments' | 'readings' | 'errors' | 'persisted' | 'runs' | 'presence' | 'clock'> => ({
  assignments: {
    put: (assignment) => on((bus) => bus.assignments.put(assignment)),
    remove: (region, checkId) => on((bus) => bus.assignments.remove(region, checkId)),
    held: (region) => on((bus) => bus.assignments.held(region)),
    watch: (region, handler) => on((bus) => bus.assignments.watch(region, handler)),
  },
  readings: {
    publish: (message) => on((bus) => bus.readings.publish(message)),
    consume: (partition, name) => on((bus) => bus.readings.consume(partition, name)),
    replay: (partition, first, last) => on((bus) => bus.readings.replay(partition, first, last)),
  },
  errors: {
    publish: (message) => on((bus) => bus.errors.publish(message)),
    consume: (partition, name) => on((bus) => bus.errors.consume(partition, name)),
    replay: (partition, first, last) => on((bus) => bus.errors.replay(partition, first, last)),
  },
  persisted: {
    mark: (region, agent, partition, batch) =>
      on((bus) => bus.persisted.mark(region, agent, partition, batch)),
    get: (region, agent, partition) => on((bus) => bus.persisted.get(region, agent, partition)),
    watch: (region, agent, onMark) => on((bus) => bus.persisted.watch(region, agent, onMark)),
  },
  runs: {
    serve: (region, handler) => on((bus) => bus.runs.serve(region, handler)),
    request: (region, request, timeoutMs) => on((bus) => bus.runs.request(region, request, timeoutMs)),
  },
  presence: {
    announce: (presence, onSuperseded, report) =>
      on((bus) => bus.presence.announce(presence, onSuperseded, report)),
    list: (region) => on((bus) => bus.presence.list(region)),
    tellWaiting: (waiting) => on(async (bus) => bus.presence.tellWaiting?.(waiting)),
  },
  clock: {
    tell: (region, now) => on((bus) => bus.clock.tell(region, now)),
    read: (region, agent, now) => on((bus) => bus.clock.read(region, agent, now)),
  },
})
