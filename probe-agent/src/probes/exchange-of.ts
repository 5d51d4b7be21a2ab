import type { X509Certificate } from 'node:crypto'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'
import { exchangeLimits as limits, type Exchange } from '@probe-mesh/contracts/reading/exchange'
import { bodyText } from '../judge/body-text.ts'
import { redirectNotPublic, unsafeTarget } from '../request/failure.ts'
import { contentHeaders, plainGet, type Message } from '../request/message.ts'
import type { Body, Headers, Outcome } from '../request/outcome.ts'
import { aheadCharactersMax, type Mask } from '../secrets/mask.ts'
import type { Masks } from '../secrets/masks.ts'
import { distinguishedName } from '../request/seen-certificate.ts'

/** The own request of a check or a step. */
export type Sent = { url: string; message: Message | undefined; sentRegion: string | null }

/** Headers whose values are credentials, or may be. */
const hidden =
  /^(?:set-)?cookie2?$|auth(?!ority)|token|secret|passw|session|credential|signature|api-?key|csrf|xsrf/i
const hiddenValue = '…'

/**
 * What a check sent and what came back last. Values of sent headers are left out; secrets in the rest are masked.
 */
export const exchangeOf = (
  { url, message = plainGet, sentRegion }: Sent,
  outcome: Outcome,
  masks: Masks,
): Exchange => {
  const mask = masks.of(outcome.url ?? url)
  const { leftOut = [] } = outcome
  return {
    method: message.method,
    sentTo: withoutQuery(url, masks.of(url)),
    endedAt: endOf(outcome, masks),
    sentHeaders: sentNames(message, sentRegion),
    ...(leftOut.length > 0 && { leftOut: [...leftOut] }),
    responseHeaders: outcome.ok ? shownHeaders(outcome.headers, mask) : [],
    responseBody: outcome.ok && outcome.body !== null ? beginOf(outcome.body, outcome.headers, mask) : null,
    chain: chainOf(outcome.certificate ?? null, mask),
    resolvedTo: (outcome.addresses ?? []).slice(0, limits.addresses),
  }
}

/** Where redirects ended. A target that the guard refused stays private. */
const endOf = (outcome: Outcome, masks: Masks): string | null => {
  const { hops, url, redirectedBy } = outcome
  if (hops === 0 || url === undefined || isRefused(outcome)) return null
  return withoutQuery(url, masks.of(redirectedBy ?? url))
}

export const isRefused = (outcome: Outcome): boolean =>
  !outcome.ok && (outcome.cause === unsafeTarget.cause || outcome.cause === redirectNotPublic.cause)

/**
 * Origin and path: a query, a fragment or a user name may contain a secret.
 * @param mask for the host that said the URL
 */
export const withoutQuery = (
  text: string,
  mask: Mask,
  charactersMax: number = limits.urlCharacters,
): string => {
  const url = URL.parse(text)
  return url === null ? '' : mask.cut(`${url.origin}${url.pathname}`, charactersMax)
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

const shownHeaders = (headers: Headers, mask: Mask): Exchange['responseHeaders'] =>
  Object.entries(headers)
    .slice(0, limits.headers)
    .map(([name, value]) => ({
      header: mask.cut(name, limits.headerNameCharacters),
      content: hidden.test(name)
        ? hiddenValue
        : mask.cut([value].flat().join(', '), limits.headerValueCharacters),
    }))

const beginOf = (body: Body, headers: Headers, mask: Mask): string | null =>
  body.undecoded === null ? beginningOf(body, headers, limits.bodyCharacters, mask) : null

/** The beginning of a body, decoded by its charset and masked. */
export const beginningOf = (body: Body, headers: Headers, charactersMax: number, mask: Mask): string => {
  // a character has up to four bytes
  const bytes = body.bytes.subarray(0, 4 * (charactersMax + aheadCharactersMax))
  const isCut = body.truncated || bytes.length < body.bytes.length
  return mask.cut(bodyText({ ...body, bytes }, headers), charactersMax, isCut)
}

const chainOf = (certificate: X509Certificate | null, mask: Mask): Exchange['chain'] => {
  const chain: Exchange['chain'] = []
  let each = certificate ?? undefined
  while (each !== undefined && chain.length < limits.certificates) {
    const { subject, issuer, validToDate } = each
    chain.push({
      subject: distinguishedName(subject, mask.cut),
      issuer: distinguishedName(issuer, mask.cut),
      expiresAtMs: validToDate.getTime(),
    })
    const next: X509Certificate | undefined = each.issuerCertificate
    each = next?.fingerprint256 === each.fingerprint256 ? undefined : next
  }
  return chain
}
