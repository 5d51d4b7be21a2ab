import { z } from 'zod'
import { SeenCertificate } from './certificate.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { isKnownDetails, ReadingDetails, phaseMs, Timings } from './reading-details.ts'
import { AnyRegion } from './regions.ts'
import { Exchange } from './exchange.ts'

/** The agent's verdict on one reading. */
export const Verdict = z.enum(['up', 'down', 'blocked', 'unmeasured'])
export type Verdict = z.infer<typeof Verdict>

/** The origin of a failure. Only `target` and `network` may count against a target. */
export const Fault = z.enum(['none', 'target', 'network', 'probe'])
export type Fault = z.infer<typeof Fault>

/**
 * `scheduled` readings count for slots, the ledger and uptime. `confirmation` and `manual` readings are evidence for
 * the status only.
 */
export const ReadingKind = z.enum(['scheduled', 'confirmation', 'manual'])
export type ReadingKind = z.infer<typeof ReadingKind>

/** The cause of a catalog reading with other content than expected. */
export const pageChangedCause = 'page_changed'

const instantMs = z.int().min(0).max(8_640_000_000_000_000)

/** The begin of an answer, for a trial only: it proposes assertions by it. Never stored. */
export const AnswerExcerpt = z.object({
  contentType: z.string().max(200),
  body: z.string().max(limits.excerptBytesMax),
  /** Whether the body is longer. */
  isCut: z.boolean(),
  /** Absent from older agents. */
  exchange: Exchange.optional(),
})
export type AnswerExcerpt = z.infer<typeof AnswerExcerpt>

/** The result of one slot. An agent always produces one, also when the target failed. */
export const Reading = z.object({
  checkId: Uuid,
  region: AnyRegion,
  /** The scheduled time, Unix ms; for other kinds the time of the request. */
  slot: instantMs,
  kind: ReadingKind,
  /** Distinguishes confirmations or manual readings of the same time; 0 for scheduled. */
  number: z.int().min(0).max(4_294_967_295),
  verdict: Verdict,
  fault: Fault,
  /** A stable word for the reason, such as `status_mismatch`; `ok` when up. */
  cause: z.string().regex(/^[a-z0-9_]{1,40}$/),
  /** For people; null when up. */
  reason: z.string().max(limits.reasonCharactersMax).nullable(),
  httpStatus: z.int().min(100).max(999).nullable(),
  /** Total time of the last attempt, including redirects, ms rounded to 0.1; null when unmeasured. */
  latencyMs: phaseMs,
  timings: Timings,
  /** Start of the last attempt, by the agent's clock, Unix ms. */
  measuredAt: instantMs,
  attempts: z.int().min(0).max(2),
  /** Delay between the slot and the start of the run, ms. Caused by the probe, never by the target. */
  lateMs: z.number().min(0).max(86_400_000),
  /** The address of the connection, if any. */
  address: z.string().max(45).nullable(),
  /** Expiry of the received certificate, Unix ms. */
  certificateExpiresAt: instantMs.nullable(),
  /** Further data of that certificate. Absent when already sent, and from older agents. */
  certificate: SeenCertificate.nullish(),
  /** Details of the type, such as a journey's waterfall; absent without any. */
  details: ReadingDetails.nullish(),
  /**
   * The name or the certificate failed, and the agent showed that its own network did not: it counts like an answer
   * of the target. Absent from older agents.
   */
  proven: z.boolean().optional(),
  /** A screenshot of a failed browser run: JPEG in base64. Absent without one. */
  screenshot: z.base64().max(limits.screenshotCharactersMax).nullish(),
  /** Only in the reply to a trial that requests it; it is in no message of readings. */
  excerpt: AnswerExcerpt.nullish(),
})
export type Reading = z.infer<typeof Reading>

/**
 * Parses a reading of any version. What a newer one tells of a type that this one does not know is left out; the rest
 * counts. @returns as `safeParse`
 */
export const parseReading = (candidate: unknown): z.ZodSafeParseResult<Reading> => {
  const parsed = Reading.safeParse(candidate)
  if (parsed.success) return parsed
  const { type } = Object(Object(candidate).details) as { type?: unknown }
  const isNewer = typeof type === 'string' && !isKnownDetails(type)
  return isNewer ? Reading.safeParse({ ...Object(candidate), details: null }) : parsed
}

/** The identity of a reading. Each is stored exactly once. */
export const readingId = (
  reading: Pick<Reading, 'checkId' | 'region' | 'slot' | 'kind' | 'number'>,
): string =>
  reading.kind === 'scheduled'
    ? `${reading.checkId}:${reading.region}:${reading.slot}`
    : `${reading.checkId}:${reading.region}:${reading.slot}:${reading.kind}:${reading.number}`

/** A message on the bus: readings of one agent and one partition. */
export const ReadingsMessage = z.object({
  version: z.literal(1),
  agent: z.string().min(1).max(100),
  region: AnyRegion,
  partition: z
    .int()
    .min(0)
    .max(limits.partitions - 1),
  /** Monotonic per agent and partition, also across restarts. */
  batch: z.int().min(0),
  /**
   * The previous published batch, to detect gaps in the stream. null at the start of a pass over the spool, which
   * then contains all unmarked readings. Older agents do not send it.
   */
  after: z.int().min(0).nullish(),
  /** Ingest validates each reading separately, so that an invalid one does not affect the others. */
  readings: z.array(z.unknown()).max(limits.readingsPerMessageMax),
})
export type ReadingsMessage = z.infer<typeof ReadingsMessage>
