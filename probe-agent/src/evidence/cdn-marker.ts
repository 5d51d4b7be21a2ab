import type { Headers } from '../request/outcome.ts'

/** The first seven as the catalog spells its `cdn`; the last three no service of it is listed under. */
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
  /** What the value must look like; null where the header's name is the vendor's own. */
  value: RegExp | null
}

const mark = (cdn: Cdn, header: string, value: RegExp | null = null): Marker => ({
  cdn,
  header,
  value,
})

/**
 * What the vendors themselves put on the answers that pass through them. Not here is what origins
 * say too: a bare `x-cache`, `via: 1.1 varnish`, the ids of S3 and of other stores.
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
 * The CDN that an answer names itself by. Null where it names none, and where it names several:
 * which of them an outage would be is not known then.
 */
export const cdnOf = (headers: Headers): Cdn | null => {
  let named: Cdn | null = null
  for (const { cdn, header, value } of markers) {
    if (cdn === named || !matches(headers[header], value)) continue
    if (named !== null) return null
    named = cdn
  }
  return named
}

const matches = (given: string | string[] | undefined, value: RegExp | null): boolean => {
  if (given === undefined) return false
  const text = (typeof given === 'string' ? given : given.join(', ')).trim()
  return value === null ? text !== '' : value.test(text)
}
