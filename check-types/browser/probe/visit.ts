import { pause } from '@probe-mesh/runtime/pause'
import type { BrowserSettings } from '../settings.ts'
import {
  targetRateExceeded,
  deadlineFailure,
  deniedTarget,
  stopped,
} from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { inspectPage, readMarkup, type Look } from './look.ts'
import { failureOfNetError, isAnswered } from './net-error.ts'
import type { Tab } from './open-tab.ts'
import { failureHeader } from './proxy-forward.ts'
import { reachedBy, watchPage, type Navigation, type Watched } from './watch-page.ts'

/** Why a visit ended without a page to judge. */
type VisitFailure = Failure | 'browser ended' | 'over limit'

/** The observations of one visit. */
export type Visit = {
  failure: VisitFailure | null
  /** The judged document; null when none was requested. */
  navigation: Navigation | null
  watched: Watched
  /** From the start of the navigation to the load of the page, or to its failure, ms. */
  latencyMs: number
  look: Look | null
  /** Read when the answer or the page is not as expected: it may show a refusal. */
  markup: string | null
}

const lookEveryMs = 100
/** A page that cannot be inspected within this time is busy, ms. */
const lookMsMax = 5_000

type Bounds = {
  signal: AbortSignal
  /** Limit of the whole visit. */
  pageMs: number
  /**
   * How long a loaded page may take to show the expected content: its scripts may still render it.
   */
  settleMs: number
}

/**
 * Opens a URL and waits until it has loaded and shows the expected content, within `pageMs`.
 * Failures of the page are values; a rejection is a bug.
 */
export const visit = async (
  tab: Tab,
  settings: BrowserSettings,
  { signal, pageMs, settleMs }: Bounds,
): Promise<Visit> => {
  const watched = watchPage(tab.page, tab.run)
  const end = endOf(tab, signal, pageMs)
  const startedAt = performance.now()
  const visited = (failure: VisitFailure | null): Visit => ({
    failure,
    navigation: watched.navigation,
    watched,
    latencyMs: roundMs(performance.now() - startedAt),
    look: null,
    markup: null,
  })
  try {
    const why = await Promise.race([end.reached, load(tab, settings.url, watched, pageMs)])
    if (why === 'stopped') return visited(stopped)
    if (why === 'browser ended' || watched.isCrashed) return visited('browser ended')
    const { navigation } = watched
    if (why === 'deadline') return visited(lateFailure(navigation, settings.url, tab, pageMs))
    const failure = failureOfNavigation(navigation, why, tab)
    if (failure !== null) return visited(await confirmed(failure, tab, end))
    const loaded = visited(null)
    // the content of an error page does not matter
    const until = performance.now() + (isGood(navigation) ? settleMs : 0)
    const look = await settle(tab, settings, end, until)
    if (end.why() === 'browser ended') return { ...loaded, failure: 'browser ended' }
    if (end.why() === 'stopped') return { ...loaded, failure: stopped }
    if (look === null && end.why() === 'deadline') {
      return { ...loaded, failure: lateFailure(navigation, settings.url, tab, pageMs) }
    }
    const last = settledNavigation(watched, loaded)
    const later = last === navigation ? null : failureOfNavigation(last, { error: null }, tab)
    if (later !== null) {
      return { ...loaded, navigation: last, failure: await confirmed(later, tab, end) }
    }
    const seen = { ...loaded, navigation: last, look }
    if (isAsExpected(seen, settings)) return seen
    return { ...seen, markup: await unlessEnded(readMarkup(tab.session), end, lookMsMax) }
  } finally {
    end.close()
  }
}

type Why = 'deadline' | 'stopped' | 'browser ended'
type End = {
  reached: Promise<Why>
  /** null until the visit ends. */
  why(): Why | null
  close(): void
}

/** The first outside event that ends a visit. */
const endOf = (tab: Tab, signal: AbortSignal, pageMs: number): End => {
  const { promise, resolve } = Promise.withResolvers<Why>()
  let first: Why | null = null
  const end = (why: Why): void => {
    first ??= why
    resolve(first)
  }
  const onAbort = (): void => end(isDeadline(signal) ? 'deadline' : 'stopped')
  const onEnded = (): void => end('browser ended')
  const timer = setTimeout(end, pageMs, 'deadline')
  signal.addEventListener('abort', onAbort, { once: true })
  tab.ended.addEventListener('abort', onEnded, { once: true })
  tab.page.once('crash', onEnded)
  if (signal.aborted) onAbort()
  if (tab.ended.aborted) onEnded()
  return {
    reached: promise,
    why: () => first,
    close: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      tab.ended.removeEventListener('abort', onEnded)
    },
  }
}

const isDeadline = ({ reason }: AbortSignal): boolean =>
  reason instanceof Error && reason.name === 'TimeoutError'

/**
 * @returns Chromium's error of the navigation, or null when it loaded
 */
const load = async (
  { page }: Tab,
  url: string,
  watched: Watched,
  pageMs: number,
): Promise<{ error: string | null }> => {
  // Twice the visit's deadline, so that Playwright's own never comes first.
  const timeout = 2 * pageMs
  try {
    await page.goto(url, { waitUntil: 'load', timeout })
  } catch (error) {
    const text = messageOf(error)
    // The page navigated before it had loaded: wait for the new one.
    if (!text.includes('interrupted by another navigation')) return { error: text }
    await page.waitForLoadState('load', { timeout }).catch(() => undefined)
  }
  return { error: watched.navigation?.error ?? null }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)

const failureOfNavigation = (
  navigation: Navigation | null,
  { error }: { error: string | null },
  { run }: Tab,
): Failure | null => {
  const signature = navigation?.response?.headers()[failureHeader]
  const own = signature === undefined ? null : run.failureOf(signature)
  if (own !== null) return own
  const text = navigation?.error ?? error
  if (text === null || (isAnswered(text) && hasAnswer(navigation))) return null
  // Chromium only knows that the tunnel failed; the proxy knows why.
  if (text.includes('ERR_TUNNEL_CONNECTION_FAILED')) {
    const failure = navigation?.reached?.failure ?? null
    if (failure !== null) return failure
  }
  return failureOfNetError(text)
}

const hasAnswer = (navigation: Navigation | null): boolean =>
  navigation !== null && navigation.response !== null

const hasFailed = (navigation: Navigation | null): boolean => navigation !== null && navigation.error !== null

/** A loaded page may navigate again; until that has a result, the loaded one is judged. */
const settledNavigation = (watched: Watched, { navigation }: Visit): Navigation | null =>
  hasAnswer(watched.navigation) || hasFailed(watched.navigation) ? watched.navigation : navigation

/** The page did not load in time: its progress shows what was missing. */
const lateFailure = (
  navigation: Navigation | null,
  url: string,
  { run }: Tab,
  pageMs: number,
): VisitFailure => {
  if (run.isOverLimit) return 'over limit'
  const ms = Math.round(pageMs / 100) * 100
  if (hasAnswer(navigation)) {
    const reason = `the page did not load within ${ms / 1000} s`
    return { cause: 'load_timeout', fault: 'target', reason }
  }
  const reached = reachedBy(navigation?.url ?? url, run)
  return deadlineFailure(reached?.phase ?? 'ttfb', ms)
}

/** Inspects the page until it shows the expected content, its time is over, or it fails. */
const settle = async (tab: Tab, settings: BrowserSettings, end: End, until: number): Promise<Look | null> => {
  let last: Look | null = null
  for (;;) {
    const look = await unlessEnded(inspectPage(tab.session, settings), end, lookMsMax)
    if (look !== null) last = look
    if (look !== null && shows(look, settings)) return look
    if (end.why() !== null || performance.now() >= until) return last
    await pause(lookEveryMs, tab.ended)
  }
}

const shows = (look: Look, { lcpMsMax }: BrowserSettings): boolean =>
  look.hasTitle && look.hasText && (lcpMsMax === null || look.lcpMs !== null)

const isGood = (navigation: Navigation | null): boolean => {
  const status = navigation?.response?.status() ?? 0
  return status >= 200 && status <= 299
}

const isAsExpected = ({ look, navigation }: Visit, settings: BrowserSettings): boolean =>
  look !== null && shows(look, settings) && isGood(navigation)

/** A browser that ends fails its pages first: their failures count only if it still answers. */
const confirmed = async (failure: Failure, tab: Tab, end: End): Promise<VisitFailure> => {
  if (failure === targetRateExceeded || failure === deniedTarget) return failure
  if (tab.run.isOverLimit) return 'over limit'
  const answer = await unlessEnded(tab.session.send('Page.getFrameTree'), end, lookMsMax)
  if (end.why() === 'stopped') return stopped
  return answer === null || tab.ended.aborted ? 'browser ended' : failure
}

/** Resolves null when the work fails or takes too long: the page is busy, or was replaced. */
const unlessEnded = async <T>(work: Promise<T>, end: End, ms: number): Promise<T | null> => {
  const waiting = new AbortController()
  const over = pause(ms, waiting.signal).then(() => null)
  try {
    return await Promise.race([work.catch(() => null), end.reached.then(() => null), over])
  } finally {
    waiting.abort()
  }
}
