import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { parseJsonPath } from '@probe-mesh/contracts/check/json-path'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { z } from 'zod'
import {
  assertBody,
  assertJson,
  carryAuthentication,
  carryBody,
  carryHeaders,
  carryInterval,
  carryMethod,
  carryTrust,
  carryUrl,
} from './carry.ts'
import { draftOf, inDashboard, note, quoted, share, skip, type Draft } from './draft.ts'
import { amount, flag, text, type Fields } from './shape.ts'
import { assertStatuses, compareRedirects, type StatusRange } from './status-range.ts'

/** An http monitor with the field names of the backup. */
export const KumaMonitor = z.object({
  name: text,
  type: text,
  url: text,
  active: flag.transform((value) => value ?? true),
  interval: amount.transform((value) => value ?? 60),
  method: text,
  body: text,
  headers: text,
  /** Absent in a backup of a version that had user names only. */
  authMethod: z.string('must be text').nullish(),
  basic_auth_user: text,
  ignoreTls: flag,
  upsideDown: flag,
  maxretries: amount,
  maxredirects: amount,
  accepted_statuscodes: z.array(z.string('must be text'), 'must be a list of statuses').nullish(),
  keyword: text,
  invertKeyword: flag,
  jsonPath: text,
  jsonPathOperator: text,
  expectedValue: text,
  proxyId: z.unknown().optional(),
  cacheBust: flag,
  ipFamily: text,
  expiryNotification: flag,
  domainExpiryNotification: flag,
})
export type KumaMonitor = z.infer<typeof KumaMonitor>

/** Database columns, and the backup's names for them. */
const columns = [
  ['auth_method', 'authMethod'],
  ['ignore_tls', 'ignoreTls'],
  ['upside_down', 'upsideDown'],
  ['invert_keyword', 'invertKeyword'],
  ['json_path', 'jsonPath'],
  ['json_path_operator', 'jsonPathOperator'],
  ['expected_value', 'expectedValue'],
  ['proxy_id', 'proxyId'],
  ['cache_bust', 'cacheBust'],
  ['ip_family', 'ipFamily'],
  ['expiry_notification', 'expiryNotification'],
  ['domain_expiry_notification', 'domainExpiryNotification'],
] as const

/** A database row with the names of the backup. */
export const fieldsOfRow = (row: Fields): Fields => ({
  ...row,
  ...Object.fromEntries(columns.flatMap(([column, field]) => (column in row ? [[field, row[column]]] : []))),
})

const instead = new Map([
  ['port', inDashboard('tcp')],
  ['dns', inDashboard('dns')],
  ['push', inDashboard('heartbeat')],
  ['smtp', inDashboard('smtp')],
  ['grpc-keyword', inDashboard('grpc')],
  ['real-browser', inDashboard('browser')],
  ['ping', `ping checks are not supported; ${inDashboard('tcp')} of a port that answers`],
  ['group', 'groups of checks are not supported; a status page can order its components'],
])

const kinds = new Set(['http', 'keyword', 'json-query'])

/** @returns why a type has no check and what to use instead, or null for an http monitor */
export const kumaInstead = (type: string): string | null =>
  kinds.has(type) ? null : (instead.get(type) ?? `unsupported check type ${quoted(type)}`)

/** Uptime Kuma's default limit of redirects. */
const redirectsUsual = 10

/** Converts an http, keyword or json-query monitor to a check. */
export const kumaCheck = (monitor: KumaMonitor, at: string): Draft => {
  const draft = draftOf({ name: monitor.name, at, url: monitor.url })
  carryUrl(draft, 'url')
  carryInterval(draft, 'interval', monitor.interval)
  if (!monitor.active) skip(draft, 'active', 'is paused: files contain running checks only')
  if (monitor.upsideDown === true) {
    skip(draft, 'upsideDown', 'is up when the target is down: checks cannot be inverted')
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
  if (monitor.ipFamily !== '') note(draft, 'ipFamily', 'both address families are used here')
  if ((monitor.maxretries ?? 0) > 0) {
    share(draft, 'maxretries', 'is not imported: failures of all checks are confirmed in the same way here')
  }
  share(draft, 'timeout', 'an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds')
  if (monitor.expiryNotification === true || monitor.domainExpiryNotification === true) {
    share(draft, 'expiryNotification', 'http checks do not report expiry')
  }
}

const carryKumaHeaders = (draft: Draft, source: string): void => {
  const headers = z.record(z.string(), z.unknown())
  try {
    carryHeaders(draft, 'headers', Object.keys(headers.parse(parseForeignJson(source))))
  } catch {
    skip(draft, 'headers', 'are not a JSON object')
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
  skip(draft, 'accepted_statuscodes', 'has an entry that is neither a status nor a range')
  return null
}

/** JSON syntax: such text depends on how the JSON was formatted. */
const ofJson = /["{}[\]:,\\]/

const carryKeyword = (draft: Draft, monitor: KumaMonitor): void => {
  const op = monitor.invertKeyword === true ? 'not_contains' : 'contains'
  assertBody(draft, 'keyword', { op, value: monitor.keyword })
  if (!ofJson.test(monitor.keyword)) return
  note(draft, 'keyword', 'is searched in JSON as received here, and in JSON without spaces there')
}

/** A JSONata key with at most one index: two would filter instead of select. */
const key = String.raw`(?!(?:true|false|null|and|or|in)(?!\w))[A-Za-z_]\w*(?:\[\d{1,9}\])?`
const index = String.raw`\[\d{1,9}\]`
// linear: each part begins with its own sign
const plain = new RegExp(String.raw`^(?:\$${index}(?:\.${key})*|(?:\$\.)?${key}(?:\.${key})*)$`)

const operators = new Map<string, 'equals' | 'contains'>([
  ['', 'equals'],
  ['==', 'equals'],
  ['contains', 'contains'],
])

/** Asserts a JSON query: plain keys and indexes have the same meaning in JSONata. */
const assertKumaJson = (draft: Draft, monitor: KumaMonitor): void => {
  const { jsonPath: path, jsonPathOperator, expectedValue: value } = monitor
  const op = operators.get(jsonPathOperator)
  if (op === undefined) {
    return skip(draft, 'jsonPathOperator', `${quoted(jsonPathOperator)} is not a supported operator`)
  }
  if (path.length > limits.jsonPathCharactersMax || !plain.test(path) || !parseJsonPath(path).ok) {
    return skip(draft, 'jsonPath', `${quoted(path)} has more than plain keys and indexes`)
  }
  const problem = assertJson(draft, 'expectedValue', { path, op, value })
  if (problem !== null) return skip(draft, 'expectedValue', problem)
  note(draft, 'jsonPath', 'a list in the path is not searched here: the path needs an index')
}
