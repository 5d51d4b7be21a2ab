import type { Sql } from '../postgres/connect.ts'
import { createHashing } from './hashing.ts'
import type { Hashing } from './hashing.ts'
import { createThrottle } from './throttle.ts'
import type { Throttle } from './throttle.ts'

/** The capabilities of logging in. It looks a user up before any account is known: it sees them all. */
export type LoginContext = {
  readonly sql: Sql
  readonly now: () => number
  readonly hashing: Hashing
  readonly throttle: Throttle
  /** Without a slash at its end: what goes into links. */
  readonly publicUrl: string
}

/** @param capabilities.sql sees every account */
export const createLogin = (
  capabilities: Pick<LoginContext, 'sql' | 'now' | 'publicUrl'>,
): LoginContext => ({
  ...capabilities,
  hashing: createHashing(),
  throttle: createThrottle(capabilities),
})

export type { SessionOwner } from '../postgres/sessions.ts'

/** Where a request to log in comes from. */
export type Visitor = {
  readonly address: string
  /** What counts as one sender: the address, or of IPv6 its first 64 bits. */
  readonly network: string
  readonly userAgent: string
  /** The token of the session that the visitor has already: logging in ends it. */
  readonly token: string | null
}
