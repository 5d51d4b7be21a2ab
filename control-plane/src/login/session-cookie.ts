import { cookieOf } from './cookie-of.ts'

/**
 * The cookie of a session. With `__Host-` browsers refuse a cookie from another host or an unencrypted page. It needs
 * `Secure`, which current browsers also accept from http://localhost and http://127.0.0.1. Other hosts need https.
 */
const name = '__Host-session'
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'

/** `Set-Cookie` that stores a session's token until `expiresAtMs`. */
export const sessionCookie = (token: string, expiresAtMs: number, nowMs: number): string =>
  `${name}=${token}; ${attributes}; Max-Age=${Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000))}`

/** `Set-Cookie` that deletes it. */
export const noSessionCookie = `${name}=; ${attributes}; Max-Age=0`

const token = /^[\w-]{43}$/

/** The token of a `Cookie` header; null if missing, malformed or sent twice. */
export const sessionTokenOf = (header: string | undefined): string | null => cookieOf(header, name, token)
