/** The header fields with the site of a request's page. */
type OriginHeaders = {
  readonly 'sec-fetch-site'?: string | string[] | undefined
  readonly origin?: string | undefined
  readonly host?: string | undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request with a cookie comes from our own pages, or from no page. Browsers send `Sec-Fetch-Site`; older
 * ones send `Origin` with unsafe methods. A request with neither is not from a browser, so no other site can forge
 * it (S-2209).
 */
export const isOurOwn = (method: string, headers: OriginHeaders): boolean => {
  if (safeMethods.has(method)) return true
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  return origin === undefined || hostOf(origin) === headers.host
}

/** `Origin: null` has no host and matches none. */
const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)
