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
import { draftOf, inDashboard, note, quoted, share, skip } from './draft.ts'
import type { Draft } from './draft.ts'
import { parseCondition } from './gatus-condition.ts'
import type { Condition } from './gatus-condition.ts'
import { flag, text } from './shape.ts'
import { assertStatuses, compareRedirects, rangesOf } from './status-range.ts'

/** An endpoint as a configuration has it: what decides what is measured. */
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
  icmp: `there is no ping check; ${inDashboard('tcp')} of a port that answers`,
}

/** Go's HTTP client follows so many. */
const redirectsUsual = 10

const fromEnvironment = 'has a variable of the environment: its value is not in the file'

/** Makes a check of an endpoint. */
export const gatusCheck = (endpoint: GatusEndpoint, at: string): Draft => {
  const name = withoutVariables(endpoint.name)
  const draft = draftOf({ name: name ?? endpoint.name, at, url: '' })
  if (name === null) note(draft, 'name', fromEnvironment)
  if (!endpoint.enabled) skip(draft, 'enabled', 'is off: a file has running checks only')
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
  else if (ssh !== undefined && ssh !== null) skip(draft, 'ssh', 'there is no check of that type')
  else if (own === null) skip(draft, 'url', fromEnvironment)
  else {
    const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(own)?.[1]?.toLowerCase() ?? ''
    if (scheme !== '' && scheme !== 'http' && scheme !== 'https') {
      skip(draft, 'url', instead[scheme] ?? `there is no check of the type ${quoted(scheme)}`)
      return false
    }
    draft.url = own
    carryUrl(draft, 'url')
    return true
  }
  return false
}

/** "60s" is Gatus' own where nothing is said. */
const carryGatusInterval = (draft: Draft, source: string): void => {
  const text = withoutVariables(source)
  if (text === null) return skip(draft, 'interval', fromEnvironment)
  const seconds = text === '' ? 60 : durationSeconds(text)
  if (seconds === null) return skip(draft, 'interval', 'is no duration, such as 60s')
  carryInterval(draft, 'interval', seconds === 0 ? 60 : seconds)
}

const carryRequest = (draft: Draft, { method, body, graphql, headers, client }: GatusEndpoint) => {
  carryMethod(draft, 'method', method)
  carryBody(draft, 'body', body)
  if (graphql === true) skip(draft, 'graphql', 'http checks ask no queries')
  carryHeaders(draft, 'headers', headers)
  for (const [field, value] of Object.entries(client)) {
    if (value === null || value === false || value === '') continue
    const path = `client.${field}`
    if (field === 'insecure') carryTrust(draft, path)
    else if (field === 'oauth2' || field === 'identity-aware-proxy' || field === 'tls') {
      carryAuthentication(draft, path, field)
    } else if (field !== 'timeout' && field !== 'ignore-redirect') {
      note(draft, path, 'is not carried: a check has no settings of its client')
    }
  }
  share(draft, 'timeout', 'an attempt has 10 seconds here, or 40 % of an interval under 25')
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
    note(draft, 'conditions', 'no condition is on the status: a status of 200 to 299 is up here')
  } else {
    const statuses = Array.from({ length: 900 }, (_, index) => 100 + index)
    const accepted = statuses.filter((status) => accepts.every((holds) => holds(status)))
    assertStatuses(draft, 'conditions', rangesOf(accepted), redirects > 0)
  }
  const usual = { followed: redirects, usual: redirectsUsual }
  compareRedirects(draft, 'client.ignore-redirect', usual)
}

/** Without its status a check would fall back to a rule that the endpoint has not. */
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
  if (condition.kind === 'none') return note(draft, field, of(`${condition.message}; not carried`))
  if (condition.kind === 'connected') return
  if (condition.kind === 'body') assertBody(draft, field, condition)
  else {
    const problem = assertJson(draft, field, condition)
    if (problem !== null) return note(draft, field, of(`${problem}; not carried`))
  }
  if (condition.remark !== null) note(draft, field, of(condition.remark))
}

/** `$$` stands for a dollar; with anything of a name after it, a variable of the environment. */
const variable = /\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*|[\d*#@!?-]))/g

/**
 * The text as Gatus reads it, which puts the environment's variables into its configuration.
 * @returns null where a variable is named: its value is not in the file
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

/** Seconds of a duration as Go writes it, such as `90s` or `1h30m`. @returns null for other text */
const durationSeconds = (text: string): number | null => {
  if (text === '0') return 0
  if (text === '' || text.length > 100) return null
  let seconds = 0
  let end = 0
  for (const match of text.matchAll(durationPart)) {
    seconds += Number(match[1]) * (unitSeconds[match[2] ?? ''] ?? 0)
    end = match.index + match[0].length
  }
  // sums of tenths and thousandths, without what binary fractions add
  return end === text.length ? Number(seconds.toPrecision(12)) : null
}
