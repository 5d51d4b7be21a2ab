import { z } from 'zod'
import { limits } from '../schema/limits.ts'
import { Exchange } from './exchange.ts'
import { StepMethod } from './step-method.ts'

export { StepMethod }

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

const line = z.string().max(300)
const hostName = z.string().max(253)
const word = z.string().max(40)

/**
 * Evidence about an unresolved name, in the details of any type. Absent when the name was resolved or no query was
 * sent.
 */
export const NameEvidence = z.object({
  name: hostName,
  /** The probe's own resolver: `NXDOMAIN`, `NODATA`, `failed` or `silent`. */
  resolver: word,
  /** Whether the same resolver resolved control names: `answered`, `failed`, or `none` were known. */
  controls: word,
  /** The response code with DNSSEC checking disabled; null without a query or response. */
  unchecked: word.nullable(),
  /** The last zone whose own servers were queried; null without one. */
  zone: hostName.nullable(),
  /** The zones' own servers, in order of the queries. `answer` is a response code, `referral` or `silent`. */
  servers: z
    .array(
      z.object({
        name: hostName,
        address: z.string().max(45).nullable(),
        answer: word,
      }),
    )
    .max(limits.nameServersMax),
})
export type NameEvidence = z.infer<typeof NameEvidence>

const names = NameEvidence.nullish()

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
    names,
    notes,
    traceId,
    exchange,
  }),
  z.object({
    type: z.literal('multistep'),
    hops: z.array(HopTrace).max(limits.stepsMax * (limits.redirectHopsMax + 1)),
    names,
    notes,
    traceId,
    exchange,
  }),
  z.object({
    type: z.literal('tcp'),
    /** The start of the received text, with control characters escaped. */
    received: line.nullable(),
    names,
  }),
  z.object({
    type: z.literal('dns'),
    /** `NOERROR`, `NXDOMAIN`, ...; null without a response. */
    rcode: z.string().max(20).nullable(),
    /** The smallest TTL of the answer's records, seconds. */
    ttlSeconds: z.int().min(0).nullable(),
    values: z.array(line).max(limits.dnsValuesMax),
    names,
  }),
  z.object({
    type: z.literal('smtp'),
    banner: line.nullable(),
    /** The EHLO keywords of the last response, upper case. */
    extensions: z.array(z.string().max(40)).max(40),
    /** Such as `TLSv1.3`; null without TLS. */
    tlsVersion: z.string().max(20).nullable(),
    names,
  }),
  z.object({
    type: z.literal('browser'),
    title: line.nullable(),
    /** Largest contentful paint, ms rounded to 0.1. */
    lcpMs: z.number().min(0).nullable(),
    /** The first errors; `consoleErrorCount` counts all. */
    consoleErrors: z.array(line).max(10),
    consoleErrorCount: z.int().min(0),
    requests: z.int().min(0),
    /** Requests of the page to addresses that are not allowed as targets. */
    refusedRequests: z.int().min(0),
    names,
  }),
])
export type ReadingDetails = z.infer<typeof ReadingDetails>
