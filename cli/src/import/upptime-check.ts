import { carryInterval } from './carry-interval.ts'
import { carryUrl } from './carry-url.ts'
import { draftOf, inDashboard, note, share, skip } from './draft.ts'
import type { Draft } from './draft.ts'
import { quoted } from './import-note.ts'
import { assertBody, carryBody, carryHeaders, carryMethod, carryTrust } from './request.ts'
import { assertStatuses, compareRedirects, rangesOf } from './status-range.ts'
import type { UpptimeSite } from './upptime-site.ts'

const instead: Record<string, string> = {
  'tcp-ping': inDashboard('tcp'),
  ssl: `measures expiry only: ${inDashboard('tcp')}`,
  ws: 'there is no check of WebSockets',
}

/** Upptime puts secrets and variables of the environment where their names stand. */
const secret = /\$[A-Z_][A-Z0-9_]*/

const redirectsUsual = 3

/** Makes a check of a site. @param seconds between two runs, null where that is not known */
export const upptimeCheck = (
  site: UpptimeSite,
  { at, seconds }: { at: string; seconds: number | null },
): Draft => {
  const draft = draftOf({ name: site.name, at, url: site.url })
  if (site.check !== '' && site.check !== 'http') {
    skip(
      draft,
      'check',
      instead[site.check] ?? `there is no check of the type ${quoted(site.check)}`,
    )
    return draft
  }
  const named = secret.exec(site.url)?.[0]
  if (named === undefined) carryUrl(draft, 'url')
  else skip(draft, 'url', `has the secret ${named}: a file has URLs as they are`)
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
    note(draft, 'maxResponseTime', 'a slow answer is not degraded here')
  }
  if (site.type === 'globalping') note(draft, 'type', 'is measured from the regions here')
  if (site.ipv6 === true) note(draft, 'ipv6', 'either family of addresses is used here')
  share(draft, 'maxRetries', 'is not carried: failures of every check are confirmed alike here')
  share(draft, 'requestTimeout', 'an attempt has 10 seconds here, or 40 % of an interval under 25')
}

const carryBodies = (draft: Draft, site: UpptimeSite): void => {
  const bodies = [
    ['__dangerous__body_down', 'not_contains'],
    ['__dangerous__body_down_if_text_missing', 'contains'],
  ] as const
  for (const [field, op] of bodies) {
    const value = site[field]
    if (value === '') continue
    if (secret.test(value)) note(draft, field, 'has a secret, and is not carried')
    else assertBody(draft, field, { op, value })
  }
  const degraded = [
    '__dangerous__body_degraded',
    '__dangerous__body_degraded_if_text_missing',
  ] as const
  for (const field of degraded) {
    if (site[field] !== '') note(draft, field, 'no text makes a check degraded here')
  }
}
