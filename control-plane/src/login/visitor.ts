import type { LoginMark } from './login-marks-store.ts'

/** The origin of a login request. */
export type Visitor = {
  readonly address: string
  /** The unit of rate limits: an IPv4 address or an IPv6 /64. */
  readonly network: string
  /** Larger networks, the smallest first: the /56 and the /48 for IPv6. */
  readonly widerNetworks: readonly string[]
  /** The cookie of a browser that logged in to any account before, and its id; null without one. */
  readonly browserCookie: string | null
  readonly browser: string | null
  readonly userAgent: string
  /** The token of the visitor's current session, which a login ends. */
  readonly token: string | null
}

/** A visitor whose browser or network logged in to the account before. */
export type Known = { accountId: string; kind: LoginMark['kind']; name: string }
