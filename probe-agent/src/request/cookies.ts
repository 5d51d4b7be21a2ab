import { Cookie, CookieJar, MemoryCookieStore } from 'tough-cookie'

/** The cookies of one run, of every response, redirects included (S-408). */
export type Cookies = {
  /**
   * @param setCookies the Set-Cookie headers of one response to this URL
   */
  merge(url: URL, setCookies: readonly string[] | undefined): void
  /** The value of the Cookie header for a request to this URL; null: none. */
  headerFor(url: URL): string | null
}

const setCookiesPerResponseMax = 100
const cookiesMax = 50
/**
 * Size of name and value, counted as in browsers (RFC 6265bis 5.6); in latin-1 a character is a
 * byte.
 */
const cookieBytesMax = 4_096
const attributesBytesMax = 1_024
/** The last instant of a Date, Unix ms: a Max-Age beyond it never expires. */
const instantMsMax = 8_640_000_000_000_000

/**
 * Creates an empty jar. Like a browser it silently ignores invalid cookies: another host's domain
 * or a public suffix, Secure over http, or beyond the limits above. A full jar keeps its cookies
 * and ignores new ones.
 */
export const createCookies = (now: () => number = Date.now): Cookies => {
  const store = new MemoryCookieStore()
  const jar = newJar(store)
  const held = new Map<string, Cookie>()
  const remove = (key: string, { domain, path, key: name }: Cookie): void => {
    held.delete(key)
    // the memory store works synchronously
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

const newJar = (store: MemoryCookieStore): CookieJar =>
  new CookieJar(store, {
    rejectPublicSuffixes: true,
    looseMode: false,
    prefixSecurity: 'silent',
    allowSecureOnLocal: false,
  })

/** The names of the cookies that an answer sets or deletes for another URL, without those that a jar ignores. */
export const cookieNamesFor = (
  to: string,
  { from, setCookie }: { from: string; setCookie: readonly string[] },
): ReadonlySet<string> => {
  const jar = newJar(new MemoryCookieStore())
  for (const text of setCookie.slice(0, setCookiesPerResponseMax)) {
    const cookie = parse(text, 0)
    if (cookie === null) continue
    cookie.expires = 'Infinity'
    jar.setCookieSync(cookie, from, { ignoreError: true })
  }
  return new Set(jar.getCookiesSync(to, { http: true }).map(({ key }) => key))
}

/** RFC 6265bis 5.6: a Set-Cookie with one of these is ignored. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** Parses a cookie within the limits, with Max-Age as a fixed instant: the jar would extend it. */
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
