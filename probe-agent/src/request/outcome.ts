import type { X509Certificate } from 'node:crypto'
import type { Fault } from '@probe-mesh/contracts/reading/reading'
import type { StepMethod, Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Fields } from '../http1/fields.ts'

/** Response headers by lower-case name. */
export type Headers = Fields

/** Why a request ended without an answer to judge, and whose fault that was. */
export type Failure = {
  /** A stable word; see `failure.ts`. */
  cause: string
  fault: Exclude<Fault, 'none' | 'network'>
  /** For people. It never contains an address. */
  reason: string
}

/** The stored part of a body: decoded, at most `limits.bodyBytesMax` bytes. */
export type Body = {
  bytes: Buffer
  truncated: boolean
  /** The unknown content coding that was not decoded, else null. */
  undecoded: string | null
}

type Measured = {
  /** Phases of the last hop, ms rounded to 0.1; null for an incomplete phase. */
  timings: Timings
  /** The whole attempt, redirects included, ms rounded to 0.1. */
  latencyMs: number
  /** The address pinned on the last hop; null when none was, or it was refused. */
  address: string | null
  /** Redirects followed. */
  hops: number
  /** Of the last request; absent: not known. */
  method?: StepMethod
  /** Parts of the own request that redirects to other origins did not get; absent: none. */
  leftOut?: readonly string[]
  /** Expiry of the last certificate, Unix ms. */
  certificateExpiresAt: number | null
  /** The certificate itself. */
  certificate?: X509Certificate | null
  /** The name that the last hop could not resolve; null or absent: none. */
  unresolved?: string | null
  /** Addresses of the last hop without a route. */
  unroutable?: readonly string[]
  /** The last URL; absent: not known. */
  url?: string
  /** The URL whose answer redirected to the last; null or absent: none. */
  redirectedBy?: string | null
  /** The addresses that the last name resolved to. */
  addresses?: readonly string[]
  /** Unusual observations that are no faults. */
  notes: readonly string[]
}

export type Answer = Measured & {
  ok: true
  status: number
  headers: Headers
  /** null when not needed: it was only timed. */
  body: Body | null
}

/**
 * The result of one attempt. A target's failure is a value; only the probe's own faults are
 * exceptions.
 */
export type Outcome = Answer | (Measured & Failure & { ok: false })
