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
import { parseCondition, type Condition } from './gatus-condition.ts'
import { flag, text } from './shape.ts'
import { assertStatuses, compareRedirects, rangesOf } from './status-range.ts'

/** The fields of an endpoint that decide what is measured. */
export const GatusEndpoint = z.object(
  {
    name: text,
    url: text,
    enabled: flag.transform((value) => value ?? true),
    method: text,
    body: text,
    graphql: flag,
    headers: z
      .record(z.string(), z.unknown().optional(), 'must be a map of headers')
      .nullish()
      .transform((value) => Object.keys(value ?? {})),
    interval: z.string('must be a duration, such as 60s').nullish(),
    conditions: z
      .array(z.string('must be text'), 'must be a list of conditions')
      .nullish()
      .transform((value) => value ?? []),
    dns: z.unknown().optional(),
    ssh: z.unknown().optional(),
    client: z
      .record(z.string(), z.unknown().optional(), 'must be a map')
      .nullish()
      .transform((value) => value ?? {}),
  },
  'must be an endpoint',
)
export type GatusEndpoint = z.infer<typeof GatusEndpoint>

const instead: Record<string, string> = {
  tcp: inDashboard('tcp'),
  tls: inDashboard('tcp'),
  starttls: `${inDashboard('smtp')} where it is a mail server, else as a tcp check`,
  icmp: `ping checks are not supported; ${inDashboard('tcp')} of a port that answers`,
}

/** The limit of Go's HTTP client. */
const redirectsUsual = 10

const fromEnvironment = 'uses an environment variable, whose value is not in the file'

/** Converts an endpoint to a check. */
export const gatusCheck = (endpoint: GatusEndpoint, at: string): Draft => {
  const name = withoutVariables(endpoint.name)
  const draft = draftOf({ name: name ?? endpoint.name, at, url: '' })
  if (name === null) note(draft, 'name', fromEnvironment)
  if (!endpoint.enabled) skip(draft, 'enabled', 'is off: files contain running checks only')
  if (!carryType(draft, endpoint)) return draft
  carryGatusInterval(draft, endpoint.interval ?? '')
  carryRequest(draft, endpoint)
  carryConditions(draft, endpoint)
  return draft
}

/** @returns whether it is measured over HTTP */
const carryType = (draft: Draft, { url, dns, ssh }: GatusEndpoint): boolean => {
  const own = withoutVariables(url)
  if (dns !== undefined && dns !== null) skip(draft, 'dns', inDashboard('dns'))
  else if (ssh !== undefined && ssh !== null) skip(draft, 'ssh', 'this check type is not supported')
  else if (own === null) skip(draft, 'url', fromEnvironment)
  else {
    const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(own)?.[1]?.toLowerCase() ?? ''
    if (scheme !== '' && scheme !== 'http' && scheme !== 'https') {
      skip(draft, 'url', instead[scheme] ?? `unsupported check type ${quoted(scheme)}`)
      return false
    }
    draft.url = own
    carryUrl(draft, 'url')
    return true
  }
  return false
}

/** Gatus uses 60 s if no interval is set. */
const carryGatusInterval = (draft: Draft, source: string): void => {
  const text = withoutVariables(source)
  if (text === null) return skip(draft, 'interval', fromEnvironment)
  const seconds = text === '' ? 60 : durationSeconds(text)
  if (seconds === null) return skip(draft, 'interval', 'is not a duration, such as 60s')
  carryInterval(draft, 'interval', seconds === 0 ? 60 : seconds)
}

const carryRequest = (draft: Draft, { method, body, graphql, headers, client }: GatusEndpoint) => {
  carryMethod(draft, 'method', method)
  carryBody(draft, 'body', body)
  if (graphql === true) skip(draft, 'graphql', 'http checks send no queries')
  carryHeaders(draft, 'headers', headers)
  for (const [field, value] of Object.entries(client)) {
    if (value === null || value === false || value === '') continue
    const path = `client.${field}`
    if (field === 'insecure') carryTrust(draft, path)
    else if (field === 'oauth2' || field === 'identity-aware-proxy' || field === 'tls') {
      carryAuthentication(draft, path, field)
    } else if (field !== 'timeout' && field !== 'ignore-redirect') {
      note(draft, path, 'is not imported: checks have no client settings')
    }
  }
  share(draft, 'timeout', 'an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds')
}

const carryConditions = (draft: Draft, { conditions, client }: GatusEndpoint): void => {
  const accepts: ((status: number) => boolean)[] = []
  for (const [index, source] of conditions.entries()) {
    const field = `conditions[${index}]`
    const text = withoutVariables(source)
    const condition = text === null ? unknownCondition(source) : parseCondition(text)
    if (condition.kind === 'status') accepts.push(condition.accepts)
    else carryCondition(draft, field, source, condition)
  }
  const redirects = client['ignore-redirect'] === true ? 0 : redirectsUsual
  if (accepts.length === 0) {
    note(draft, 'conditions', 'no condition tests the status: statuses 200 to 299 are up here')
  } else {
    const statuses = Array.from({ length: 900 }, (_, index) => 100 + index)
    const accepted = statuses.filter((status) => accepts.every((holds) => holds(status)))
    assertStatuses(draft, 'conditions', rangesOf(accepted), redirects > 0)
  }
  const usual = { followed: redirects, usual: redirectsUsual }
  compareRedirects(draft, 'client.ignore-redirect', usual)
}

/** Without its status condition a check would use a default that the endpoint does not have. */
const unknownCondition = (source: string): Condition => ({
  kind: /\[STATUS\]|\[CONNECTED\]/i.test(source) ? 'contrary' : 'none',
  message: fromEnvironment,
})

const carryCondition = (
  draft: Draft,
  field: string,
  source: string,
  condition: Exclude<Condition, { kind: 'status' }>,
): void => {
  const of = (message: string): string => `${quoted(source)}: ${message}`
  if (condition.kind === 'contrary') return skip(draft, field, of(condition.message))
  if (condition.kind === 'none') return note(draft, field, of(`${condition.message}; not imported`))
  if (condition.kind === 'connected') return
  if (condition.kind === 'body') assertBody(draft, field, condition)
  else {
    const problem = assertJson(draft, field, condition)
    if (problem !== null) return note(draft, field, of(`${problem}; not imported`))
  }
  if (condition.remark !== null) note(draft, field, of(condition.remark))
}

/** `$$` is a dollar; a dollar before a name is an environment variable. */
const variable = /\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*|[\d*#@!?-]))/g

/**
 * The text as Gatus reads it, with environment variables replaced.
 * @returns null for a variable, whose value is not in the file
 */
const withoutVariables = (text: string): string | null => {
  if (Array.from(text.matchAll(variable)).some(([found]) => found !== '$$')) return null
  return text.replaceAll('$$', () => '$')
}

const unitSeconds: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3_600,
}
const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy

/** The seconds of a Go duration, such as `90s` or `1h30m`. @returns null for other text */
const durationSeconds = (text: string): number | null => {
  if (text === '0') return 0
  if (text === '' || text.length > 100) return null
  let seconds = 0
  let end = 0
  for (const match of text.matchAll(durationPart)) {
    seconds += Number(match[1]) * (unitSeconds[match[2] ?? ''] ?? 0)
    end = match.index + match[0].length
  }
  // removes binary rounding from sums of tenths and thousandths
  return end === text.length ? Number(seconds.toPrecision(12)) : null
}
