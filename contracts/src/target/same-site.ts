/** The header fields that say whose page a request comes from. */
export type OriginHeaders = {
  readonly 'sec-fetch-site'?: string | string[] | undefined
  readonly origin?: string | undefined
  readonly host?: string | undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request that carries a cookie comes from our own pages, or from no page at all. Browsers
 * say so in `Sec-Fetch-Site`; older ones send `Origin` with what may change something; a request
 * with neither is from no browser, whose cookies nobody can make it send (S-2209). Pure.
 */
export const isOurOwn = (method: string, headers: OriginHeaders): boolean => {
  if (safeMethods.has(method)) return true
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  return origin === undefined || hostOf(origin) === headers.host
}

/** `Origin: null` has no host, and equals none. */
const hostOf = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null
