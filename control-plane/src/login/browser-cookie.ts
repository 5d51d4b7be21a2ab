import { markKeptMs } from '@probe-mesh/contracts/account/login-rules'
import { cookieOf } from './cookie-of.ts'

/** The cookie that identifies a browser with an earlier login. It gives no access. */
const name = '__Host-device'
const maxAgeSeconds = markKeptMs.browser / 1000
const shape = /^[\w-]{67}$/

/** `Set-Cookie` that identifies the browser at its next login. */
export const browserCookie = (value: string): string =>
  `${name}=${value}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${maxAgeSeconds}`

export const browserCookieOf = (header: string | undefined): string | null => cookieOf(header, name, shape)
