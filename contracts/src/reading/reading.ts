import { z } from 'zod'
import { SeenCertificate } from './certificate.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { ReadingDetails, phaseMs, Timings } from './reading-details.ts'
import { AnyRegion } from './regions.ts'

/** The agent's judgement of one reading. */
export const Verdict = z.enum(['up', 'down', 'blocked', 'unmeasured'])
export type Verdict = z.infer<typeof Verdict>

/** Whose fault a failure is: only the target's and the network's may ever count against a target. */
export const Fault = z.enum(['none', 'target', 'network', 'probe'])
export type Fault = z.infer<typeof Fault>

/**
 * `scheduled` readings fill slots, the ledger and uptime. `confirmation` and `manual` ones are
 * evidence for status only.
 */
export const ReadingKind = z.enum(['scheduled', 'confirmation', 'manual'])
export type ReadingKind = z.infer<typeof ReadingKind>

/** The cause of a catalog reading whose page had other content than the catalog expects. */
export const pageChangedCause = 'page_changed'

const instantMs = z.int().min(0).max(8_640_000_000_000_000)

/** What an agent saw for one slot: always produced, also when the target failed. */
export const Reading = z.object({
  checkId: Uuid,
  region: AnyRegion,
  /** The scheduled instant, Unix ms; for other kinds the instant they were asked for. */
  slot: instantMs,
  kind: ReadingKind,
  /** Tells several confirmations or manual readings of one instant apart; 0 for scheduled. */
  number: z.int().min(0).max(4_294_967_295),
  verdict: Verdict,
  fault: Fault,
  /** A stable word for the reason, such as `status_mismatch`; `ok` when up. */
  cause: z.string().regex(/^[a-z0-9_]{1,40}$/),
  /** For people; null when up. */
  reason: z.string().max(limits.reasonCharactersMax).nullable(),
  httpStatus: z.int().min(100).max(999).nullable(),
  /** Whole time of the last attempt, redirects included, ms rounded to 0.1; null when unmeasured. */
  latencyMs: phaseMs,
  timings: Timings,
  /** When the last attempt began, by the agent's clock, Unix ms. */
  measuredAt: instantMs,
  attempts: z.int().min(0).max(2),
  /** How late the run began after its slot, ms: the probe's own delay, never the target's. */
  lateMs: z.number().min(0).max(86_400_000),
  /** The address connected to, when there was one. */
  address: z.string().max(45).nullable(),
  /** When the certificate seen expires, Unix ms. */
  certificateExpiresAt: instantMs.nullable(),
  /** What else that certificate says; absent where it was noted before, or by an agent of an older version. */
  certificate: SeenCertificate.nullish(),
  /** What its type notes besides, such as a journey's waterfall; absent where there is nothing. */
  details: ReadingDetails.nullish(),
  /** A failed browser run's picture: JPEG in base64. Absent where there is none. */
  screenshot: z.base64().max(limits.screenshotCharactersMax).nullish(),
})
export type Reading = z.infer<typeof Reading>

/** A reading's identity: what must be stored exactly once. */
export const readingId = (
  reading: Pick<Reading, 'checkId' | 'region' | 'slot' | 'kind' | 'number'>,
): string =>
  reading.kind === 'scheduled'
    ? `${reading.checkId}:${reading.region}:${reading.slot}`
    : `${reading.checkId}:${reading.region}:${reading.slot}:${reading.kind}:${reading.number}`

/** What travels on the bus: readings of one agent and one partition. */
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
   * The batch published before this one, so that a hole in the stream shows; null at the start of a
   * pass over the spool, which then holds everything that is not marked yet. Absent where the agent is older than this field.
   */
  after: z.int().min(0).nullish(),
  /** Judged one by one at ingest, so that a bad one never costs its neighbours. */
  readings: z.array(z.unknown()).max(limits.readingsPerMessageMax),
})
export type ReadingsMessage = z.infer<typeof ReadingsMessage>
