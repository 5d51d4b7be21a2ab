import type { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { DnsRecordType } from '@probe-mesh/check-types/dns/record-type'
import type { Exchange } from '@probe-mesh/contracts/reading/exchange'
import type { AnswerExcerpt } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails, Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Judgement } from '../judge/judgement.ts'
import type { Guard } from '../request/guard.ts'
import type { Mask } from '../secrets/mask.ts'
import type { Prepared } from '../secrets/prepare.ts'

/** The observations of one attempt, without judgement: the measured half of a reading. */
export type Trace = {
  /** Whether the target answered at all, which proves that the probe's own network works. */
  answered: boolean
  httpStatus: number | null
  /** The whole attempt, ms rounded to 0.1. */
  latencyMs: number
  timings: Timings
  /** The last connected address; null: none. */
  address: string | null
  /** Expiry of the last certificate, Unix ms. */
  certificateExpiresAt: number | null
  /** The certificate itself; absent when the type does not read it. */
  certificate?: X509Certificate | null
  details: ReadingDetails | null
  /** The name that could not be resolved; absent when all were resolved, or there is none. */
  unresolved?: UnresolvedName | undefined
  /** Addresses without a route. */
  unroutable?: readonly string[] | undefined
  /** The start of the answer, if a trial requests it. */
  excerpt?: AnswerExcerpt
  /** What was sent last and what came back, if the target failed or a trial requests it. */
  exchange?: (() => Exchange) | undefined
  /** Hide secrets in what is said of the last request, and in the certificate; absent: there are none. */
  masks?: { last: Mask; certificate: Mask }
  /** Screenshot of a failed page: JPEG in base64. */
  screenshot?: string
}

export type UnresolvedName = {
  name: string
  type: DnsRecordType
  /** Prefix of the reason, such as a journey's step. */
  where: string
}

/** The unresolved name of a connection attempt. */
export const unresolvedName = (name: string | null | undefined, where = ''): UnresolvedName | undefined =>
  name === null || name === undefined ? undefined : { name, type: 'A', where }

/** Capabilities of every type's probe. */
export type ProbeCapabilities = Guard & {
  trust: SecureContext
  /** Unix ms */
  now: () => number
  userAgent: string
  /** The region sent to the target; null: none. */
  sentRegion: string | null
}

export type ProbeContext = {
  /**
   * The attempt's only deadline: aborted with a `TimeoutError` when reached, or when the agent
   * stops.
   */
  signal: AbortSignal
  /** That deadline, for texts, ms. */
  deadlineMs: number
  /** The first connection succeeded or failed: the expensive part is over. May be called twice. */
  onConnected(): void
  /** Whether the trace contains the start of the answer; default: no. */
  excerpt?: boolean
  /** The check's own requests, for a check whose requests are more than plain ones. */
  prepared?: Prepared | undefined
}

export type Probed = { trace: Trace; judgement: Judgement }

/** One attempt of one type. Failures of a target are judgements; a rejection is a bug. */
export type Probe<A extends Assignment, C = ProbeCapabilities> = (
  assignment: A,
  context: ProbeContext,
  capabilities: C,
) => Promise<Probed>
