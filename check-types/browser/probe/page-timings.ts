import { noTimings, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Response } from 'playwright-core'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { within } from './chromium.ts'
import type { Reached } from './proxy-run.ts'

/** Chromium has them with the answer; a closing page may never deliver them. */
const detailsMsMax = 500

/**
 * The phases of the page's own document: name and connection from the proxy, TLS and the rest from
 * Chromium, which has no TLS time for a connection that was ready.
 */
export const timingsOf = (response: Response | null, reached: Reached | null): Timings => {
  const { dnsMs, connectMs } = reached ?? noTimings
  if (response === null) return { ...noTimings, dnsMs, connectMs }
  const timing = response.request().timing()
  const isSecure = response.url().startsWith('https:')
  // Over plain HTTP the proxy connects when it has the request.
  const dialMs = isSecure ? 0 : (dnsMs ?? 0) + (connectMs ?? 0)
  const ttfbMs = between(timing.requestStart, timing.responseStart)
  return {
    dnsMs,
    connectMs,
    tlsMs: isSecure ? between(timing.secureConnectionStart, timing.connectEnd) : null,
    ttfbMs: ttfbMs === null ? null : roundMs(Math.max(0, ttfbMs - dialMs)),
    transferMs: between(timing.responseStart, timing.responseEnd),
  }
}

/** Chromium uses -1 for phases that were not reached. */
const between = (from: number, to: number): number | null =>
  from < 0 || to < from ? null : roundMs(to - from)

/** When the document's certificate expires, Unix ms. */
export const expiryOf = async (response: Response | null): Promise<number | null> => {
  if (response === null || !response.url().startsWith('https:')) return null
  let expiresAt: number | null = null
  const reading = response.securityDetails().then((details) => {
    if (details?.validTo !== undefined) expiresAt = details.validTo * 1_000
  })
  await within(reading, detailsMsMax)
  return expiresAt
}
