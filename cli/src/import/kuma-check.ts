import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'
import { carryInterval } from './carry-interval.ts'
import { carryUrl } from './carry-url.ts'
import { draftOf, inDashboard, note, share, skip } from './draft.ts'
import type { Draft } from './draft.ts'
import { quoted } from './import-note.ts'
import { assertKumaJson } from './kuma-json.ts'
import type { KumaMonitor } from './kuma-monitor.ts'
import {
  assertBody,
  carryAuthentication,
  carryBody,
  carryHeaders,
  carryMethod,
  carryTrust,
} from './request.ts'
import { assertStatuses, compareRedirects } from './status-range.ts'
import type { StatusRange } from './status-range.ts'

const instead = new Map([
  ['port', inDashboard('tcp')],
  ['dns', inDashboard('dns')],
  ['push', inDashboard('heartbeat')],
  ['smtp', inDashboard('smtp')],
  ['real-browser', inDashboard('browser')],
  ['ping', `there is no ping check; ${inDashboard('tcp')} of a port that answers`],
  ['group', 'there are no groups of checks; a status page orders what it shows'],
])

const kinds = new Set(['http', 'keyword', 'json-query'])

/** @returns why there is no check of a type and what to use instead; null for an http monitor */
export const kumaInstead = (type: string): string | null =>
  kinds.has(type) ? null : (instead.get(type) ?? `there is no check of the type ${quoted(type)}`)

/** Uptime Kuma follows so many redirects where nobody chose another number. */
const redirectsUsual = 10

/** Makes a check of an http, keyword or json-query monitor. */
export const kumaCheck = (monitor: KumaMonitor, at: string): Draft => {
  const draft = draftOf({ name: monitor.name, at, url: monitor.url })
  carryUrl(draft, 'url')
  carryInterval(draft, 'interval', monitor.interval)
  if (!monitor.active) skip(draft, 'active', 'is paused: a file has running checks only')
  if (monitor.upsideDown === true) {
    skip(draft, 'upsideDown', 'is up when the target is not: no check is judged like that')
  }
  carryRequest(draft, monitor)
  const redirects = monitor.maxredirects ?? redirectsUsual
  const accepted = acceptedRanges(draft, monitor.accepted_statuscodes ?? ['200-299'])
  if (accepted !== null) assertStatuses(draft, 'accepted_statuscodes', accepted, redirects > 0)
  compareRedirects(draft, 'maxredirects', { followed: redirects, usual: redirectsUsual })
  if (monitor.type === 'keyword') carryKeyword(draft, monitor)
  if (monitor.type === 'json-query') assertKumaJson(draft, monitor)
  return draft
}

const carryRequest = (draft: Draft, monitor: KumaMonitor): void => {
  carryMethod(draft, 'method', monitor.method)
  carryBody(draft, 'body', monitor.body)
  if (monitor.headers.trim() !== '') carryKumaHeaders(draft, monitor.headers)
  const byName = monitor.basic_auth_user === '' ? '' : 'basic'
  const authentication = monitor.authMethod === undefined ? byName : (monitor.authMethod ?? '')
  if (authentication !== '') carryAuthentication(draft, 'authMethod', authentication)
  if (monitor.ignoreTls === true) carryTrust(draft, 'ignoreTls')
  if (typeof monitor.proxyId === 'number') {
    note(draft, 'proxyId', 'is measured without a proxy here')
  }
  if (monitor.cacheBust === true) note(draft, 'cacheBust', 'no parameter is added to the URL here')
  if (monitor.ipFamily !== '') note(draft, 'ipFamily', 'either family of addresses is used here')
  if ((monitor.maxretries ?? 0) > 0) {
    share(draft, 'maxretries', 'is not carried: failures of every check are confirmed alike here')
  }
  share(draft, 'timeout', 'an attempt has 10 seconds here, or 40 % of an interval under 25')
  if (monitor.expiryNotification === true || monitor.domainExpiryNotification === true) {
    share(draft, 'expiryNotification', 'an http check says nothing of expiry')
  }
}

const carryKumaHeaders = (draft: Draft, source: string): void => {
  const headers = z.record(z.string(), z.unknown())
  try {
    carryHeaders(draft, 'headers', Object.keys(headers.parse(parseForeignJson(source))))
  } catch {
    skip(draft, 'headers', 'are no JSON object')
  }
}

/** Statuses as `200-299` or `404`. */
const acceptedRanges = (draft: Draft, accepted: readonly string[]): StatusRange[] | null => {
  const ranges = accepted.flatMap((entry) => {
    const match = /^\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?$/.exec(entry)
    if (match === null) return []
    return [{ min: Number(match[1]), max: Number(match[2] ?? match[1]) }]
  })
  if (ranges.length === accepted.length) return ranges
  skip(draft, 'accepted_statuscodes', 'has an entry that is no status and no range of them')
  return null
}

/** What JSON is written with: there the text depends on who wrote it. */
const ofJson = /["{}[\]:,\\]/

const carryKeyword = (draft: Draft, monitor: KumaMonitor): void => {
  const op = monitor.invertKeyword === true ? 'not_contains' : 'contains'
  assertBody(draft, 'keyword', { op, value: monitor.keyword })
  if (!ofJson.test(monitor.keyword)) return
  note(draft, 'keyword', 'is looked for in JSON as it is sent here, there in JSON without spaces')
}
