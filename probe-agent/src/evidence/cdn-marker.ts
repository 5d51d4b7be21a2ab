import type { Headers } from '../request/outcome.ts'

/** The first seven are spelled as `cdn` in the catalog, which does not use the last three. */
export const cdns = [
  'akamai',
  'bunny',
  'cloudflare',
  'cloudfront',
  'fastly',
  'google',
  'meta',
  'azure-front-door',
  'netlify',
  'vercel',
] as const
export type Cdn = (typeof cdns)[number]

type Marker = {
  cdn: Cdn
  header: string
  /** What the value must match; null when the header's name belongs to the vendor. */
  value: RegExp | null
}

const mark = (cdn: Cdn, header: string, value: RegExp | null = null): Marker => ({
  cdn,
  header,
  value,
})

/**
 * Headers that the vendors add to responses. Headers that origins send too are missing: a bare
 * `x-cache`, `via: 1.1 varnish`, the ids of S3 and other stores.
 */
const markers: readonly Marker[] = [
  mark('akamai', 'akamai-cache-status'),
  mark('akamai', 'akamai-grn'),
  mark('akamai', 'x-akamai-request-id'),
  mark('akamai', 'x-akamai-transformed'),
  mark('akamai', 'server', /^AkamaiGHost$/i),
  mark('azure-front-door', 'x-azure-ref'),
  mark('bunny', 'server', /^BunnyCDN-[A-Z0-9]+-\d+$/i),
  mark('cloudflare', 'cf-ray'),
  mark('cloudflare', 'server', /^cloudflare$/i),
  mark('cloudfront', 'x-amz-cf-id'),
  mark('cloudfront', 'x-amz-cf-pop'),
  mark('cloudfront', 'server', /^CloudFront$/i),
  mark('cloudfront', 'via', /\.cloudfront\.net \(CloudFront\)/i),
  mark('fastly', 'x-fastly-request-id'),
  mark('fastly', 'x-served-by', /(?:^|, ?)cache-[a-z0-9-]+-[A-Z]{3}(?:,|$)/),
  mark('google', 'server', /^(?:ESF|Golfe2|Google Frontend|gws|sffe)$/),
  mark('google', 'via', /(?:^|, ?)[\d.]+ google(?:,|$)/),
  mark('meta', 'x-fb-debug'),
  mark('netlify', 'x-nf-request-id'),
  mark('netlify', 'server', /^Netlify$/i),
  mark('vercel', 'x-vercel-id'),
  mark('vercel', 'server', /^Vercel$/i),
]

/**
 * The CDN that the headers of a response name. Null for none and for several, since an outage could
 * then be any of them.
 */
export const cdnOf = (headers: Headers): Cdn | null => {
  let named: Cdn | null = null
  for (const header in headers) {
    for (const { cdn, value } of markersOf.get(header) ?? none) {
      if (cdn === named || !matches(headers[header], value)) continue
      if (named !== null) return null
      named = cdn
    }
  }
  return named
}

const markersOf: ReadonlyMap<string, readonly Marker[]> = Map.groupBy(markers, ({ header }) => header)
const none: readonly Marker[] = []

const matches = (given: string | string[] | undefined, value: RegExp | null): boolean => {
  if (given === undefined) return false
  const text = (typeof given === 'string' ? given : given.join(', ')).trim()
  return value === null ? text !== '' : value.test(text)
}
