import { markKeptMs } from '@probe-mesh/contracts/account/login-rules'
import { cookieValues } from '@probe-mesh/runtime/headers'

/**
 * With `__Host-` browsers refuse a cookie from another host or an unencrypted page. It needs `Secure`, which
 * current browsers also accept from http://localhost and http://127.0.0.1. Other hosts need https.
 */
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'

const session = { name: '__Host-session', shape: /^[\w-]{43}$/ }
/** The cookie that identifies a browser with an earlier login. It gives no access. */
const browser = { name: '__Host-device', shape: /^[\w-]{67}$/ }

/** `Set-Cookie` that stores a session's token until `expiresAtMs`. */
export const sessionCookie = (token: string, expiresAtMs: number, nowMs: number): string =>
  `${session.name}=${token}; ${attributes}; Max-Age=${Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000))}`

/** `Set-Cookie` that deletes it. */
export const noSessionCookie = `${session.name}=; ${attributes}; Max-Age=0`

/** `Set-Cookie` that identifies the browser at its next login. */
export const browserCookie = (value: string): string =>
  `${browser.name}=${value}; ${attributes}; Max-Age=${markKeptMs.browser / 1000}`

/** The token of a `Cookie` header; null if missing, malformed or sent twice. */
export const sessionTokenOf = (header: string | undefined): string | null => valueOf(header, session)

export const browserCookieOf = (header: string | undefined): string | null => valueOf(header, browser)

const valueOf = (header: string | undefined, { name, shape }: typeof session): string | null => {
  const values = cookieValues(header, name)
  const [value] = values
  return values.length === 1 && value !== undefined && shape.test(value) ? value : null
}
