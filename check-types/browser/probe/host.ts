import type { Logger } from '@probe-mesh/bus/logger'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { SharedGuard } from '@probe-mesh/probe-agent/src/request/guard'
import { launchChromium, loadPlaywright, within, type Chromium } from './chromium.ts'
import type { ChromiumWay } from './sandbox.ts'
import { openTab, type OpenTab } from './open-tab.ts'
import { createScreenshots, type Screenshots } from './screenshots.ts'
import { createPages, type PagePlace, type PageRun, type Pages } from './pages.ts'
import { startGuardedProxy, type GuardedProxy } from './proxy.ts'
import type { ProxyBounds } from './proxy-run.ts'

/** One Chromium for all runs of a process: started on demand, and restarted after it ended. */
export type BrowserHost = {
  /**
   * Waits for a place among the pages: `overloaded` when none is free in time, `stopped` when the
   * signal aborts first or the host closes.
   */
  takePlace(run: PageRun, signal: AbortSignal): Promise<PagePlace | 'overloaded' | 'stopped'>
  /**
   * Opens an empty page for one run: `stopped` when the signal aborts first, `failed` when Chromium
   * does not start or answer.
   * @param place released when the page is completely closed
   */
  begin(
    place: PagePlace,
    signal: AbortSignal,
    options: { accountId: string; userAgent: string },
  ): Promise<OpenTab | 'stopped' | 'failed'>
  readonly pages: Pages
  readonly screenshots: Screenshots
  readonly settleMs: number
  /** Loads Playwright ahead of the first run. */
  warm(): void
  /** Id of Chromium's main process; null while none runs. */
  readonly pid: number | null
  readonly counts: Readonly<{ launches: number; failures: number }>
  /** Ends all pages, and Chromium. */
  close(): Promise<void>
}

export type BrowserHostOptions = {
  executablePath: string
  way: ChromiumWay
  guard: SharedGuard
  log: Logger
  /** Limits the open pages and shares them among accounts. */
  pages?: Pages
  /** Runs per Chromium process. */
  runsPerProcessMax?: number
  /** How long Chromium stays without runs, ms. */
  idleMsMax?: number
  /** How long a loaded page may take to show the expected content, ms. */
  settleMs?: number
  bounds?: ProxyBounds
  /** Additional flags of Chromium, such as for a test with its own certificate authority. */
  flags?: readonly string[]
}

const runsPerProcessMaxDefault = 200
const idleMsMaxDefault = 300_000
const settleMsDefault = 5_000
/** A context that does not close in this time is ended with its process, ms. */
const disposeMsMax = 2_000
/** A Chromium that still starts after this time ends with this process, ms. */
const closeMsMax = 5_000

type Running = {
  chromium: Promise<Chromium>
  live: Chromium | null
  /** Aborted before Chromium is ended: later failures of its pages prove nothing about them. */
  ending: AbortController
  runs: number
  active: number
}

const newRunning = (chromium: Promise<Chromium>): Running => ({
  chromium,
  live: null,
  ending: new AbortController(),
  runs: 0,
  active: 0,
})

/** Starts nothing yet: the proxy and Chromium start with the first page. */
export const openBrowserHost = (options: BrowserHostOptions): BrowserHost => {
  const { executablePath, way, guard, log } = options
  const { pages = createPages(), idleMsMax = idleMsMaxDefault, flags = [] } = options
  const runsMax = options.runsPerProcessMax ?? runsPerProcessMaxDefault
  const closing = new AbortController()
  const all = new Set<Running>()
  const counts = { launches: 0, failures: 0 }
  let current: Running | null = null
  let proxy: Promise<GuardedProxy> | null = null
  let idle: NodeJS.Timeout | null = null

  const forget = (running: Running): void => {
    all.delete(running)
    if (current === running) current = null
  }
  const end = async (running: Running): Promise<void> => {
    forget(running)
    running.ending.abort()
    const chromium = await running.chromium.catch(() => null)
    await chromium?.close()
  }
  const launch = async (running: Running): Promise<Chromium> => {
    proxy ??= startGuardedProxy(guard, log, options.bounds)
    const { port } = await proxy
    counts.launches += 1
    const chromium = await launchChromium({ executablePath, way, proxyPort: port, flags })
    running.live = chromium
    chromium.ended.addEventListener('abort', () => {
      if (all.has(running)) log.warn({ pid: chromium.pid }, 'the browser ended unexpectedly')
      void end(running)
    })
    if (closing.signal.aborted) void end(running)
    return chromium
  }
  const start = (): Running => {
    const chromium = Promise.withResolvers<Chromium>()
    const running = newRunning(chromium.promise)
    all.add(running)
    current = running
    launch(running).then(chromium.resolve, (error: unknown) => {
      counts.failures += 1
      log.error({ err: error }, 'the browser did not start')
      forget(running)
      chromium.reject(error)
    })
    return running
  }
  const enter = (): Running => {
    if (idle !== null) clearTimeout(idle)
    const running = current ?? start()
    running.runs += 1
    running.active += 1
    if (running.runs >= runsMax) current = null
    return running
  }
  const leave = (running: Running): void => {
    running.active -= 1
    if (running.active > 0) return
    if (running !== current) return void end(running)
    if (idle !== null) clearTimeout(idle)
    idle = setTimeout(() => {
      if (running.active === 0) void end(running)
    }, idleMsMax).unref()
  }

  const begin: BrowserHost['begin'] = async (place, signal, { accountId, userAgent }) => {
    const either = anySignal([signal, closing.signal])
    const running = enter()
    const release = (): void => {
      leave(running)
      place.release()
    }
    const chromium = await unlessAborted(running.chromium, either)
    if (chromium === null || proxy === null) {
      release()
      return either.aborted ? 'stopped' : 'failed'
    }
    const run = (await proxy).open(accountId)
    const ended = anySignal([chromium.ended, running.ending.signal])
    const opening = openTab({ ...chromium, ended }, run, userAgent)
    opening.catch((error: unknown) => {
      if (!either.aborted) log.error({ err: error }, 'the browser failed to open a page')
    })
    const dispose = async (): Promise<void> => {
      run.close()
      const closed = opening.then((tab) => tab.context.close())
      if (!(await within(closed, disposeMsMax))) void end(running)
      release()
    }
    const tab = await unlessAborted(opening, either)
    if (tab !== null) return { ...tab, close: () => void dispose() }
    void dispose()
    return either.aborted ? 'stopped' : 'failed'
  }

  return {
    takePlace: (run, signal) => pages.acquire(run, anySignal([signal, closing.signal])),
    begin,
    pages,
    screenshots: createScreenshots(),
    settleMs: options.settleMs ?? settleMsDefault,
    warm: () => {
      loadPlaywright().catch((error: unknown) => {
        log.error({ err: error }, 'loading Playwright failed')
      })
    },
    get pid() {
      return current?.live?.pid ?? null
    },
    counts,
    close: async () => {
      closing.abort()
      if (idle !== null) clearTimeout(idle)
      await within(Promise.all([...all].map(end)), closeMsMax)
      await (await proxy)?.close()
    },
  }
}

/** Resolves null when the work fails or the signal aborts. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  new Promise((resolve) => {
    const leave = (result: T | null): void => {
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const onAbort = (): void => leave(null)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    work.then(leave, onAbort)
  })
