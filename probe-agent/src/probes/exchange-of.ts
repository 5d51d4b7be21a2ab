import type { X509Certificate } from 'node:crypto'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'
import { exchangeLimits as limits, type Exchange } from '@probe-mesh/contracts/reading/exchange'
import { bodyText } from '../judge/body-text.ts'
import { redirectNotPublic, unsafeTarget } from '../request/failure.ts'
import { contentHeaders, plainGet, type Message } from '../request/message.ts'
import type { Body, Headers, Outcome } from '../request/outcome.ts'
import { distinguishedName } from '../request/seen-certificate.ts'

/** The own request of a check or a step. */
export type Sent = { url: string; message: Message | undefined; sentRegion: string | null }

/** Headers whose values are credentials, or may be. */
const hidden =
  /^(?:set-)?cookie2?$|auth(?!ority)|token|secret|passw|session|credential|signature|api-?key|csrf|xsrf/i
const hiddenValue = '…'

/**
 * What a check sent last and what came back. Values of sent headers are left out; secrets in the rest are masked where
 * the reading is.
 */
export const exchangeOf = ({ url, message = plainGet, sentRegion }: Sent, outcome: Outcome): Exchange => ({
  method: message.method,
  sentTo: withoutQuery(url),
  endedAt: endOf(outcome),
  sentHeaders: sentNames(message, sentRegion),
  responseHeaders: outcome.ok ? shownHeaders(outcome.headers) : [],
  responseBody: outcome.ok && outcome.body !== null ? beginOf(outcome.body, outcome.headers) : null,
  chain: chainOf(outcome.certificate ?? null),
  resolvedTo: (outcome.addresses ?? []).slice(0, limits.addresses),
})

/** Where redirects ended. A target that the guard refused stays private. */
const endOf = (outcome: Outcome): string | null => {
  const { hops, url } = outcome
  return hops === 0 || url === undefined || isRefused(outcome) ? null : withoutQuery(url)
}

export const isRefused = (outcome: Outcome): boolean =>
  !outcome.ok && (outcome.cause === unsafeTarget.cause || outcome.cause === redirectNotPublic.cause)

/** Origin and path: a query, a fragment or a user name may contain a secret. */
export const withoutQuery = (text: string, charactersMax: number = limits.urlCharacters): string => {
  const url = URL.parse(text)
  return url === null ? '' : cut(`${url.origin}${url.pathname}`, charactersMax)
}

const sentNames = (message: Message, sentRegion: string | null): string[] => [
  'host',
  'user-agent',
  'accept',
  'accept-encoding',
  ...(sentRegion === null ? [] : [regionHeader]),
  ...((message.own?.cookie ?? null) === null ? [] : ['cookie']),
  ...contentHeaders(message).filter((_, at) => at % 2 === 0),
]

const shownHeaders = (headers: Headers): Exchange['responseHeaders'] =>
  Object.entries(headers)
    .slice(0, limits.headers)
    .map(([name, value]) => ({
      header: cut(name, limits.headerNameCharacters),
      content: hidden.test(name) ? hiddenValue : cut([value].flat().join(', '), limits.headerValueCharacters),
    }))

const beginOf = (body: Body, headers: Headers): string | null => {
  if (body.undecoded !== null) return null
  const part = { ...body, bytes: body.bytes.subarray(0, 4 * limits.bodyCharacters) }
  return cut(bodyText(part, headers), limits.bodyCharacters)
}

const chainOf = (certificate: X509Certificate | null): Exchange['chain'] => {
  const chain: Exchange['chain'] = []
  let each = certificate ?? undefined
  while (each !== undefined && chain.length < limits.certificates) {
    const { subject, issuer, validToDate } = each
    chain.push({
      subject: distinguishedName(subject),
      issuer: distinguishedName(issuer),
      expiresAtMs: validToDate.getTime(),
    })
    const next: X509Certificate | undefined = each.issuerCertificate
    each = next?.fingerprint256 === each.fingerprint256 ? undefined : next
  }
  return chain
}

const cut = (text: string, charactersMax: number): string => text.slice(0, charactersMax).toWellFormed()
