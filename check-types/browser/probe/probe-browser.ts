import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { noTimings, type ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { parseTarget } from '@probe-mesh/contracts/target/target'
import type { Response, CDPSession } from 'playwright-core'
import type { Judgement } from '@probe-mesh/probe-agent/src/judge/judgement'
import { unsafeTarget } from '@probe-mesh/probe-agent/src/request/failure'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { browserNotMeasured, notMeasured } from '@probe-mesh/probe-agent/src/probes/not-measured'
import { startDeadline } from '@probe-mesh/probe-agent/src/probes/deadline'
import {
  unresolvedName,
  type ProbeCapabilities,
  type ProbeContext,
  type Probed,
  type Trace,
} from '@probe-mesh/probe-agent/src/probes/probe'
import type { RunContext } from '@probe-mesh/probe-agent/src/schedule/run'
import { within } from './chromium.ts'
import type { BrowserHost } from './host.ts'
import { judgePage } from './judge-page.ts'
import type { PagePlace } from './pages.ts'
import { viewport, type Tab } from './open-tab.ts'
import { expiryOf, timingsOf } from './page-timings.ts'
import { failureHeader } from './proxy-forward.ts'
import { visit, type Visit } from './visit.ts'
import type { Navigation } from './watch-page.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** From good to small: JPEG quality, and scale. */
const attempts = [
  { quality: 60, scale: 1 },
  { quality: 35, scale: 1 },
  { quality: 15, scale: 1 },
  { quality: 15, scale: 0.5 },
] as const

/**
 * A screenshot as JPEG in base64 of at most `limits.screenshotCharactersMax`.
 * @returns null when even the smallest is larger
 * @throws Error when Chromium fails
 */
const takeScreenshot = async (session: CDPSession): Promise<string | null> => {
  for (const { quality, scale } of attempts) {
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'jpeg',
      quality,
      ...(scale === 1 ? {} : { clip: { x: 0, y: 0, ...viewport, scale } }),
    })
    if (data.length <= limits.screenshotCharactersMax) return data
  }
  return null
}

/**
 * End of an attempt that is reserved for the screenshot: share of its deadline, and the most, ms.
 */
const reserveShare = 0.1
const reserveMsMax = 2_000
/** A page that gets less of its deadline proves nothing: the probe was busy. */
const pageShareMin = 0.5

/** Only the outer signal: a page's deadline starts when it has a place. */
export type BrowserContext = ProbeContext & Pick<RunContext, 'kind'> & { freeTrial: boolean }

type BrowserCapabilities = ProbeCapabilities & { browser: BrowserHost | null }

/**
 * One browser check: a visit of its page in a fresh context, judged by what the page shows. Without
 * a browser, which a run on demand may encounter, nothing is measured (S-508).
 */
export const probeBrowser = async (
  assignment: SettingsAssignment<'browser'>,
  context: BrowserContext,
  capabilities: BrowserCapabilities,
): Promise<Probed & { measuredAt?: number }> => {
  const { browser, now } = capabilities
  const { signal, deadlineMs, kind, freeTrial } = context
  // Pages have their own places, and connect at any time.
  context.onConnected()
  const parsed = parseTarget(assignment.settings.url, { allow: capabilities.allow })
  if (!parsed.ok) return nothingSeen({ verdict: 'unmeasured', ...unsafeTarget })
  if (browser === null) return nothingSeen(browserNotMeasured.noBrowser)
  const run = {
    accountId: assignment.accountId,
    isOnDemand: kind === 'manual',
    isFreeTrial: freeTrial,
  }
  const place = await browser.takePlace(run, signal)
  if (typeof place === 'string') return nothingSeen(notMeasured[place])
  const deadline = startDeadline(deadlineMs, signal)
  const measuredAt = now()
  try {
    const within = { signal: deadline.signal, deadlineMs }
    return { measuredAt, ...(await open(assignment, place, within, { ...capabilities, browser })) }
  } finally {
    deadline.clear()
  }
}

const open = async (
  assignment: SettingsAssignment<'browser'>,
  place: PagePlace,
  { signal, deadlineMs }: Pick<ProbeContext, 'signal' | 'deadlineMs'>,
  { browser, userAgent }: BrowserCapabilities & { browser: BrowserHost },
): Promise<Probed> => {
  const { settings, accountId } = assignment
  const begunMs = performance.now()
  const tab = await browser.begin(place, signal, { accountId, userAgent })
  if (typeof tab === 'string') return nothingSeen(whyNot(tab, signal))
  try {
    const reserveMs = Math.min(reserveMsMax, deadlineMs * reserveShare)
    const pageMs = deadlineMs - reserveMs - (performance.now() - begunMs)
    if (pageMs < deadlineMs * pageShareMin) return nothingSeen(notMeasured.overloaded)
    const visited = await visit(tab, settings, { signal, pageMs, settleMs: browser.settleMs })
    const judgement = judge(visited, assignment, tab)
    const leftMs = deadlineMs - (performance.now() - begunMs)
    const isFailed = judgement.verdict === 'down' || judgement.verdict === 'blocked'
    const isWanted = isFailed && browser.screenshots.isWanted(assignment.checkId, begunMs)
    const screenshot = isWanted ? await picture(tab, leftMs) : null
    if (screenshot !== null) browser.screenshots.record(assignment.checkId, performance.now())
    const trace = await traceOf(visited, tab)
    return { trace: screenshot === null ? trace : { ...trace, screenshot }, judgement }
  } finally {
    tab.close()
  }
}

const whyNot = (why: 'stopped' | 'failed', signal: AbortSignal): Judgement => {
  const reason: unknown = signal.reason
  // The deadline passed while Chromium started: the probe's own time, not the page's.
  const isDeadline = signal.aborted && reason instanceof Error && reason.name === 'TimeoutError'
  if (why === 'failed') return browserNotMeasured.failed
  return isDeadline ? notMeasured.overloaded : notMeasured.stopped
}

const nothingSeen = (judgement: Judgement): Probed => ({
  judgement,
  trace: {
    answered: false,
    httpStatus: null,
    latencyMs: 0,
    timings: noTimings,
    address: null,
    certificateExpiresAt: null,
    details: null,
  },
})

const judge = (
  { failure, navigation, watched, look, markup }: Visit,
  assignment: SettingsAssignment<'browser'>,
  { run }: Tab,
): Judgement => {
  const response = navigation?.response ?? null
  return judgePage(
    {
      failure,
      status: response?.status() ?? null,
      headers: response?.headers() ?? {},
      title: look?.title ?? null,
      hasTitle: look?.hasTitle ?? false,
      hasText: look?.hasText ?? false,
      lcpMs: look?.lcpMs ?? null,
      consoleErrors: watched.consoleErrors,
      consoleErrorCount: watched.consoleErrorCount,
      markup,
      isOverLimit: run.isOverLimit,
    },
    assignment,
  )
}

/** Returns null when the screenshot takes longer than the remaining time. */
const picture = async (tab: Tab, leftMs: number): Promise<string | null> => {
  let data: string | null = null
  const taking = takeScreenshot(tab.session).then((taken) => {
    data = taken
  })
  await within(taking, Math.max(0, leftMs))
  return data
}

/** Drops an answer that the proxy itself made. */
const answerOf = ({ navigation }: Visit, { run }: Tab): Response | null => {
  const response = navigation?.response ?? null
  const signature = response?.headers()[failureHeader]
  return signature !== undefined && run.failureOf(signature) !== null ? null : response
}

/** The unresolved name or unroutable addresses of the page's own document. */
const lostWay = (navigation: Navigation | null): Pick<Trace, 'unresolved' | 'unroutable'> => {
  const { failure = null, unroutable = [], phase } = navigation?.reached ?? {}
  if (failure === null) return {}
  const name = phase === 'dns' ? URL.parse(navigation?.url ?? '')?.hostname : undefined
  return {
    ...(name !== undefined && { unresolved: unresolvedName(name) }),
    unroutable,
  }
}

const traceOf = async (visited: Visit, tab: Tab): Promise<Trace> => {
  const { watched, latencyMs, look, navigation } = visited
  const response = answerOf(visited, tab)
  const lcpMs = look?.lcpMs ?? null
  const details: ReadingDetails = {
    type: 'browser',
    title: look?.title ?? null,
    lcpMs: lcpMs === null ? null : roundMs(lcpMs),
    consoleErrors: [...watched.consoleErrors],
    consoleErrorCount: watched.consoleErrorCount,
    requests: watched.requests,
    refusedRequests: tab.run.refused,
  }
  return {
    answered: response !== null,
    httpStatus: response?.status() ?? null,
    latencyMs,
    timings: timingsOf(response, navigation?.reached ?? null),
    address: navigation?.reached?.address ?? null,
    certificateExpiresAt: await expiryOf(response),
    ...lostWay(navigation),
    details,
  }
}
