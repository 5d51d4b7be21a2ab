import { cookieOf } from './cookie-of.ts'

/**
 * The cookie of a session. `__Host-` makes browsers refuse one that another host or an unencrypted
 * page has set. It needs `Secure`, which current browsers also take from http://localhost and
 * http://127.0.0.1; anywhere else the dashboard needs https.
 */
const name = '__Host-session'
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'

/** `Set-Cookie` that gives a browser a session's token until `expiresAtMs`. */
export const sessionCookie = (token: string, expiresAtMs: number, nowMs: number): string =>
  `${name}=${token}; ${attributes}; Max-Age=${Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000))}`

/** `Set-Cookie` that takes it away. */
export const noSessionCookie = `${name}=; ${attributes}; Max-Age=0`

const token = /^[\w-]{43}$/

/** The token of a `Cookie` header; null without one that could be ours, or with two. */
export const sessionTokenOf = (header: string | undefined): string | null =>
  cookieOf(header, name, token)
