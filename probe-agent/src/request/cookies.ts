import { Cookie, CookieJar, MemoryCookieStore } from 'tough-cookie'

/** The cookies of one run, of every response, redirects included (S-408). */
export type Cookies = {
  /** @param setCookies the Set-Cookie headers of one response to this URL */
  merge(url: URL, setCookies: readonly string[] | undefined): void
  /** What a request to this URL carries: the value of a Cookie header, or null. */
  headerFor(url: URL): string | null
}

const setCookiesPerResponseMax = 100
const cookiesMax = 50
/** Name and value, as browsers count (RFC 6265bis 5.6); latin-1, so that characters are bytes. */
const cookieBytesMax = 4_096
const attributesBytesMax = 1_024
/** The last instant of a Date, Unix ms: a Max-Age that leads beyond it means for ever. */
const instantMsMax = 8_640_000_000_000_000

/**
 * An empty jar. What a jar must refuse is left out in silence, as a browser does: a domain that is
 * not the host's own or is a public suffix, Secure over http, more than the bounds above. Where the
 * jar is full, the cookies that it holds stay and new ones are left out.
 */
export const createCookies = (now: () => number = Date.now): Cookies => {
  const store = new MemoryCookieStore()
  const jar = new CookieJar(store, {
    rejectPublicSuffixes: true,
    looseMode: false,
    prefixSecurity: 'silent',
    allowSecureOnLocal: false,
  })
  const held = new Map<string, Cookie>()
  const remove = (key: string, { domain, path, key: name }: Cookie): void => {
    held.delete(key)
    // A store in memory is done when it returns.
    if (domain !== null && path !== null) void store.removeCookie(domain, path, name)
  }
  const removeExpired = (): void => {
    for (const [key, cookie] of held) if (isExpired(cookie, now())) remove(key, cookie)
  }
  const put = (url: URL, text: string): void => {
    const cookie = parse(text, now())
    if (cookie === null) return
    const kept = jar.setCookieSync(cookie, url.href, { ignoreError: true })
    if (kept === undefined) return
    const key = JSON.stringify([kept.domain, kept.path, kept.key])
    if (!held.has(key) && held.size >= cookiesMax) removeExpired()
    const full = !held.has(key) && held.size >= cookiesMax
    if (full || isExpired(kept, now())) remove(key, kept)
    else held.set(key, kept)
  }
  return {
    merge: (url, setCookies = []) => {
      for (const text of setCookies.slice(0, setCookiesPerResponseMax)) put(url, text)
    },
    headerFor: (url) => {
      if (held.size === 0) return null
      removeExpired()
      const options = { http: true, expire: false, sort: true }
      return jar.getCookieStringSync(url.href, options) || null
    },
  }
}

/** RFC 6265bis 5.6: a Set-Cookie with one of these is ignored as a whole. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** A cookie within the bounds, its Max-Age as the instant it means: the jar would let it slide. */
const parse = (text: string, now: number): Cookie | null => {
  if (text.length > cookieBytesMax + attributesBytesMax || control.test(text)) return null
  const cookie = Cookie.parse(text, { loose: false })
  if (cookie === undefined || cookie.key.length + cookie.value.length > cookieBytesMax) return null
  if (cookie.maxAge !== null) {
    const endsAt = now + Number(cookie.maxAge) * 1_000
    cookie.expires = new Date(Math.min(Math.max(0, endsAt), instantMsMax))
    cookie.maxAge = null
  }
  return cookie
}

const isExpired = ({ expires }: Cookie, now: number): boolean =>
  expires instanceof Date && expires.getTime() <= now
