import type { LoginMark } from './login-marks-store.ts'

/** Where a request to log in comes from. */
export type Visitor = {
  readonly address: string
  /** What counts as one sender: the address, or of IPv6 its first 64 bits. */
  readonly network: string
  /** The larger networks around it, smallest first: of IPv6 the /56 and the /48. */
  readonly widerNetworks: readonly string[]
  /** The cookie of a browser that logged in before, to whatever account, and its id; null without one. */
  readonly browserCookie: string | null
  readonly browser: string | null
  readonly userAgent: string
  /** The token of the session that the visitor has already: logging in ends it. */
  readonly token: string | null
}

/** A visitor whose browser or network logged in to the account before. */
export type Known = { accountId: string; kind: LoginMark['kind']; name: string }
