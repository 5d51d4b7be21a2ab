import type { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { DnsRecordType } from '@probe-mesh/contracts/check/probe-settings'
import type { ReadingDetails, Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Judgement } from '../judge/judgement.ts'
import type { Guard } from '../request/guard.ts'

/** What one attempt saw, whatever it means: the reading's measured half. */
export type Trace = {
  /** Whether the target answered anything: it proves that the probe's own network works. */
  answered: boolean
  httpStatus: number | null
  /** The whole attempt, ms rounded to 0.1. */
  latencyMs: number
  timings: Timings
  /** The address connected to last; null where there was none. */
  address: string | null
  /** When the certificate seen last expires, Unix ms. */
  certificateExpiresAt: number | null
  /** What else it says; absent where the type does not look. */
  certificate?: X509Certificate | null
  details: ReadingDetails | null
  /** The name that could not be resolved; absent where names were, or there is none. */
  unresolved?: UnresolvedName | undefined
  /** Addresses that no route led to. */
  unroutable?: readonly string[] | undefined
  /** A failed page's picture: JPEG in base64. */
  screenshot?: string
}

export type UnresolvedName = {
  name: string
  type: DnsRecordType
  /** What stands in front of the reason, such as a journey's step. */
  where: string
}

/** The name that a way ended at, as an attempt to connect asks for it. */
export const unresolvedName = (
  name: string | null | undefined,
  where = '',
): UnresolvedName | undefined =>
  name === null || name === undefined ? undefined : { name, type: 'A', where }

/** What every type's probe may use. */
export type ProbeCapabilities = Guard & {
  trust: SecureContext
  /** Unix ms */
  now: () => number
  userAgent: string
  /** What the target is told of the region; null: nothing. */
  sentRegion: string | null
}

export type ProbeContext = {
  /** The attempt's one deadline: aborted with a `TimeoutError` when reached, else the agent stops. */
  signal: AbortSignal
  /** What that deadline is, for people, ms. */
  deadlineMs: number
  /** The first connection stands or has failed: the costly part is over. May be called twice. */
  onConnected(): void
}

export type Probed = { trace: Trace; judgement: Judgement }

/** One attempt of one type. What a target does is a judgement; a rejection is a bug. */
export type Probe<A extends Assignment, C = ProbeCapabilities> = (
  assignment: A,
  context: ProbeContext,
  capabilities: C,
) => Promise<Probed>
