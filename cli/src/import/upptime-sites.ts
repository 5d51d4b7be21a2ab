import { z } from 'zod'
import {
  assertBody,
  carryBody,
  carryHeaders,
  carryInterval,
  carryMethod,
  carryTrust,
  carryUrl,
} from './carry.ts'
import {
  draftOf,
  inDashboard,
  note,
  quoted,
  share,
  skip,
  tooMany,
  unusedFields,
  unusedSettings,
  type Draft,
  type Monitors,
  type Remark,
} from './draft.ts'
import { readYamlSource } from './read-yaml-source.ts'
import { amount, flag, isMap, isSet, shaped, text } from './shape.ts'
import { assertStatuses, compareRedirects, rangesOf } from './status-range.ts'

const status = z
  .union([z.number(), z.string()], 'must be a status')
  .transform(Number)
  .refine((value) => Number.isInteger(value), 'must be a status')

/** The fields of a site that decide what is measured. */
const UpptimeSite = z.object(
  {
    name: text,
    url: text,
    check: text,
    type: text,
    method: text,
    body: text,
    headers: z
      .array(z.string('must be text'), 'must be a list of headers')
      .nullish()
      .transform((value) => value ?? []),
    expectedStatusCodes: z.array(status, 'must be a list of statuses').nullish(),
    maxResponseTime: amount,
    maxRedirects: amount,
    maxRetries: amount,
    ipv6: flag,
    __dangerous__insecure: flag,
    __dangerous__disable_verify_peer: flag,
    __dangerous__disable_verify_host: flag,
    __dangerous__body_down: text,
    __dangerous__body_down_if_text_missing: text,
    __dangerous__body_degraded: text,
    __dangerous__body_degraded_if_text_missing: text,
  },
  'must be a site',
)
type UpptimeSite = z.infer<typeof UpptimeSite>

/** Reads the configuration of Upptime, `.upptimerc.yml`. */
export const upptimeSites = (source: string): Monitors => {
  const read = readYamlSource(source)
  if (!read.ok) return read
  const root = read.value
  const sites = isMap(root) ? root.sites : undefined
  if (!isMap(root) || !Array.isArray(sites)) {
    return { ok: false, problems: ['sites: must be the list of sites of a configuration'] }
  }
  const problems = tooMany(sites.length, 'sites')
  if (problems.length > 0) return { ok: false, problems }
  const { seconds, remarks } = schedule(root)
  const drafts = sites.flatMap((item: unknown, index) => {
    const at = `sites[${index}]`
    const shape = shaped(UpptimeSite, item, at)
    if (shape.ok) return [upptimeCheck(shape.value, { at, seconds })]
    problems.push(...shape.problems)
    return []
  })
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    drafts,
    about: [...remarks, ...unusedSettings(root, settings), ...organization(sites)],
  }
}

/** Sites have no own interval: one workflow runs them all, by default every 5 minutes. */
const schedule = (root: Record<string, unknown>): { seconds: number | null; remarks: Remark[] } => {
  const { workflowSchedule } = root
  const cron = isMap(workflowSchedule) ? workflowSchedule.uptime : undefined
  if (!isSet(cron)) return { seconds: 300, remarks: [] }
  const minutes = typeof cron === 'string' ? /^\*(?:\/([1-9]\d?))? \* \* \* \*$/.exec(cron.trim()) : null
  const every = Number(minutes?.[1] ?? 1)
  if (minutes !== null && 60 % every === 0) return { seconds: every * 60, remarks: [] }
  const message = 'is not a number of minutes: the checks use the default interval of the account'
  return { seconds: null, remarks: [{ field: 'workflowSchedule.uptime', message }] }
}

const settings = ['notifications', 'status-website', 'assignees', 'delay', 'user-agent'] as const

const organization = (sites: readonly unknown[]): Remark[] =>
  unusedFields(sites, ['assignees', 'icon', 'slug', 'tags'], 'site').map((remark) => ({
    ...remark,
    field: `sites.${remark.field}`,
  }))

const instead: Record<string, string> = {
  'tcp-ping': inDashboard('tcp'),
  ssl: `measures expiry only: ${inDashboard('tcp')}`,
  ws: 'WebSocket checks are not supported',
}

/** Upptime inserts secrets and environment variables by their names. */
const secret = /\$[A-Z_][A-Z0-9_]*/

const redirectsUsual = 3

/** Converts a site to a check. @param seconds interval, or null if it is unknown */
const upptimeCheck = (site: UpptimeSite, { at, seconds }: { at: string; seconds: number | null }): Draft => {
  const draft = draftOf({ name: site.name, at, url: site.url })
  if (site.check !== '' && site.check !== 'http') {
    skip(draft, 'check', instead[site.check] ?? `unsupported check type ${quoted(site.check)}`)
    return draft
  }
  const named = secret.exec(site.url)?.[0]
  if (named === undefined) carryUrl(draft, 'url')
  else skip(draft, 'url', `has the secret ${named}: files contain literal URLs`)
  if (seconds !== null) carryInterval(draft, 'workflowSchedule.uptime', seconds)
  carryRequest(draft, site)
  const redirects = site.maxRedirects ?? redirectsUsual
  const { expectedStatusCodes: expected } = site
  if (expected === undefined || expected === null) {
    const message = '200 to 208, 226 and 300 to 308 are up there, 200 to 299 here'
    share(draft, 'expectedStatusCodes', message)
  } else assertStatuses(draft, 'expectedStatusCodes', rangesOf(expected), redirects > 0)
  compareRedirects(draft, 'maxRedirects', { followed: redirects, usual: redirectsUsual })
  carryBodies(draft, site)
  return draft
}

const carryRequest = (draft: Draft, site: UpptimeSite): void => {
  carryMethod(draft, 'method', site.method)
  carryBody(draft, 'body', site.body)
  carryHeaders(
    draft,
    'headers',
    site.headers.map((header) => header.split(':')[0]?.trim() ?? ''),
  )
  const trusting = [
    '__dangerous__insecure',
    '__dangerous__disable_verify_peer',
    '__dangerous__disable_verify_host',
  ] as const
  for (const field of trusting) if (site[field] === true) carryTrust(draft, field)
  if (site.maxResponseTime !== null) {
    note(draft, 'maxResponseTime', 'a slow response is not degraded here')
  }
  if (site.type === 'globalping') note(draft, 'type', 'is measured from the regions here')
  if (site.ipv6 === true) note(draft, 'ipv6', 'both address families are used here')
  share(draft, 'maxRetries', 'is not imported: failures of all checks are confirmed in the same way here')
  share(
    draft,
    'requestTimeout',
    'an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds',
  )
}

const carryBodies = (draft: Draft, site: UpptimeSite): void => {
  const bodies = [
    ['__dangerous__body_down', 'not_contains'],
    ['__dangerous__body_down_if_text_missing', 'contains'],
  ] as const
  for (const [field, op] of bodies) {
    const value = site[field]
    if (value === '') continue
    if (secret.test(value)) note(draft, field, 'has a secret, and is not imported')
    else assertBody(draft, field, { op, value })
  }
  const degraded = ['__dangerous__body_degraded', '__dangerous__body_degraded_if_text_missing'] as const
  for (const field of degraded) {
    if (site[field] !== '') note(draft, field, 'text in the body cannot make a check degraded here')
  }
}
