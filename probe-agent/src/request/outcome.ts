import type { X509Certificate } from 'node:crypto'
import type { Fault } from '@probe-mesh/contracts/reading/reading'
import type { Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Fields } from '../http1/fields.ts'

/** Response headers by lower-case name. */
export type Headers = Fields

/** Why a request ended without a judgeable answer, and whose fault that was. */
export type Failure = {
  /** A stable word; see `failure.ts`. */
  cause: string
  fault: Exclude<Fault, 'none' | 'network'>
  /** For people. It never holds an address. */
  reason: string
}

/** What was read of a body: decoded, at most `limits.bodyBytesMax` bytes. */
export type Body = {
  bytes: Buffer
  truncated: boolean
  /** The content coding that was left in place because it is unknown, else null. */
  undecoded: string | null
}

type Measured = {
  /** Phases of the last hop, ms rounded to 0.1; null for a phase that was not completed. */
  timings: Timings
  /** From the start of the attempt to its end, redirects included, ms rounded to 0.1. */
  latencyMs: number
  /** The address pinned on the last hop; null where none was, or where it was refused. */
  address: string | null
  /** Redirects followed. */
  hops: number
  /** When the certificate seen last expires, Unix ms. */
  certificateExpiresAt: number | null
  /** What else it says. */
  certificate?: X509Certificate | null
  /** The name that the last hop could not resolve; null or absent where there is none. */
  unresolved?: string | null
  /** Addresses of the last hop that no route led to. */
  unroutable?: readonly string[]
  /** What went otherwise than usual on the way, and is no fault. */
  notes: readonly string[]
}

export type Answer = Measured & {
  ok: true
  status: number
  headers: Headers
  /** null where nobody needs it: it was read for its time and dropped. */
  body: Body | null
}

/** What became of one attempt. A target's failure is a value; only our own faults are exceptions. */
export type Outcome = Answer | (Measured & Failure & { ok: false })
