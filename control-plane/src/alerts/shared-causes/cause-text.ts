import type { Factor } from '@probe-mesh/contracts/outage/answers'
import { minuteOf } from '../../public-answers/sentence.ts'
import { durationText } from '../../status/duration-text.ts'
import type { SharedCause } from './shared-cause.ts'

const vendors: Readonly<Record<string, string>> = {
  akamai: 'Akamai',
  'azure-dns': 'Azure DNS',
  'azure-front-door': 'Azure Front Door',
  bunny: 'bunny.net',
  cloudflare: 'Cloudflare',
  cloudfront: 'CloudFront',
  fastly: 'Fastly',
  google: 'Google',
  meta: 'Meta',
  netlify: 'Netlify',
  ns1: 'NS1',
  route53: 'Route 53',
  ultradns: 'UltraDNS',
  vercel: 'Vercel',
}

/** `the CDN Fastly` */
export const factorText = ({ kind, name }: Factor): string => {
  const vendor = vendors[name] ?? name
  return kind === 'cdn' ? `the CDN ${vendor}` : kind === 'dns' ? `the DNS provider ${vendor}` : vendor
}

/**
 * What else is known, as sentences about a check that is down. Its instants are ISO 8601, for the reader's zone.
 * @param sinceMs when the check began to fail
 */
export const causeText = (cause: SharedCause, sinceMs: number): string => {
  const { factor, memberIds, failingCount, regions, ownChecks, catalog } = cause
  const named = factorText(factor)
  const sentences: string[] = []
  if (ownChecks) {
    const ahead = sinceMs - cause.sinceMs
    const before = ahead >= 1_000 ? `, ${durationText(ahead)} before this one` : ''
    const of =
      memberIds.length === failingCount
        ? `All ${failingCount} of your checks that began to fail within half an hour`
        : `${memberIds.length} of your ${failingCount} checks that began to fail within half an hour`
    sentences.push(
      `${of} are behind ${named}${inRegions(regions)} since ${instantOf(cause.sinceMs)}${before}.`,
    )
  } else sentences.push(`This check is behind ${named}.`)
  if (catalog !== null) sentences.push(catalogText(named, catalog, instantOf))
  return sentences.join(' ')
}

/** The same for everybody: without the numbers of the account's checks. */
export const publicCauseText = ({ factor, ownChecks, catalog }: SharedCause): string => {
  const named = factorText(factor)
  return [
    ownChecks ? `Other checks behind ${named} fail too.` : `It is behind ${named}.`,
    ...(catalog === null ? [] : [catalogText(named, catalog, minuteAt)]),
  ].join(' ')
}

const catalogText = (
  named: string,
  { failing, measuredCount, regions, sinceMs }: NonNullable<SharedCause['catalog']>,
  textOf: (ms: number) => string,
): string =>
  `Our probes of public services see ${named} failing too: ${failing} of ${measuredCount} services${inRegions(regions)} since ${textOf(sinceMs)}.`

const inRegions = (regions: readonly string[]): string =>
  regions.length === 0
    ? ', failing'
    : regions.length === 1
      ? `, failing in ${regions[0] ?? ''}`
      : `, failing in ${regions.length} regions`

const minuteAt = (ms: number): string => minuteOf(new Date(ms).toISOString())

const instantOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
