import { z } from 'zod'
import { limits } from '../schema/limits.ts'
import { Exchange } from './exchange.ts'
import { StepMethod } from './step-method.ts'
import { detailsOfTypes } from './readings-of-types.ts'
import { line, named, NameEvidence } from '@probe-mesh/check-types/reading/check-reading'

export { NameEvidence, StepMethod }

/** Milliseconds rounded to 0.1; null for a phase that was not reached. */
export const phaseMs = z.number().min(0).max(3_600_000).nullable()

/**
 * Phases of the last attempt, in milliseconds rounded to 0.1; null when not reached: of its final hop, and of a
 * journey the sum over all requests.
 */
export const Timings = z.object({
  dnsMs: phaseMs,
  connectMs: phaseMs,
  tlsMs: phaseMs,
  ttfbMs: phaseMs,
  transferMs: phaseMs,
})
export type Timings = z.infer<typeof Timings>

/** A larger share of the total without a phase is shown. */
const restShareMax = 0.05

/**
 * What a reading took besides its phases, such as redirects or the work of a page, ms; null if the phases add up to it, or
 * if it has no latency.
 */
export const restMsOf = (timings: Timings, latencyMs: number | null): number | null => {
  if (latencyMs === null) return null
  const phasesMs = Object.values(timings).reduce<number>((sum, ms) => (ms === null ? sum : sum + ms), 0)
  const restMs = latencyMs - phasesMs
  return phasesMs > 0 && restMs > Math.max(1, latencyMs * restShareMax) ? restMs : null
}

export const noTimings: Timings = {
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  ttfbMs: null,
  transferMs: null,
}

/** One request of a journey, for the waterfall. */
export const HopTrace = z.object({
  /** The number of the step, from 1. */
  step: z.int().min(1).max(limits.stepsMax),
  /** 0 for the step's own request, then one for each redirect. */
  hop: z.int().min(0).max(limits.redirectHopsMax),
  method: StepMethod,
  /** Origin and path, without the query, which may contain a secret. */
  url: z.string().max(300),
  httpStatus: z.int().min(100).max(999).nullable(),
  /** From the start of the run to the start of this request, ms rounded to 0.1. */
  startMs: z.number().min(0),
  latencyMs: z.number().min(0),
  timings: Timings,
  address: z.string().max(45).nullable(),
})
export type HopTrace = z.infer<typeof HopTrace>

const hostName = z.string().max(253)

/** Unusual events that are no fault, for people. Absent when empty. */
const notes = z.array(line).max(limits.readingNotesMax).optional()

/** The trace id that was sent as W3C `traceparent`. Absent without one. */
const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .optional()

/** When a failure begins, and once an hour while it lasts. Absent otherwise. */
const exchange = Exchange.optional()

/** Details of a reading that are specific to the type. */
export const ReadingDetails = z.discriminatedUnion('type', [
  /** The providers that outages may share. Absent for a check of an account without any, and without notes. */
  z.object({
    type: z.literal('http'),
    /** The CDN in the response headers, such as `cloudflare`; null without one. */
    cdn: z.string().max(40).nullable(),
    /** Name servers of a catalog service's zone, lower case, sorted; empty when unknown. */
    nameServers: z.array(hostName).max(limits.nameServersMax),
    ...named,
    notes,
    traceId,
    exchange,
  }),
  z.object({
    type: z.literal('multistep'),
    hops: z.array(HopTrace).max(limits.stepsMax * (limits.redirectHopsMax + 1)),
    ...named,
    notes,
    traceId,
    exchange,
  }),
  ...detailsOfTypes,
])
export type ReadingDetails = z.infer<typeof ReadingDetails>

/** Whether this version knows the details of a type. */
export const isKnownDetails = (type: string): boolean =>
  ReadingDetails.options.some(({ shape }) => shape.type.value === type)
