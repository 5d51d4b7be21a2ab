import { z } from 'zod'
import { limits } from '../schema/limits.ts'

/** Milliseconds rounded to 0.1; null for what was not reached. */
export const phaseMs = z.number().min(0).max(3_600_000).nullable()

/** Phases of the last attempt's final hop, in milliseconds rounded to 0.1; null when not reached. */
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

export const StepMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
export type StepMethod = z.infer<typeof StepMethod>

/** One request of a journey, in the order made: with all of them a waterfall is drawn. */
export const HopTrace = z.object({
  /** Which step, from 1. */
  step: z.int().min(1).max(limits.stepsMax),
  /** 0 for the step's own request, then each redirect followed. */
  hop: z.int().min(0).max(limits.redirectHopsMax),
  method: StepMethod,
  /** Origin and path; what a query carries may be a secret. */
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
const said = z.string().max(40)

/**
 * What was found out about a name that could not be resolved. It travels with the details of any type, absent
 * where the name was resolved or nothing was asked.
 */
export const NameEvidence = z.object({
  name: hostName,
  /** The probe's own resolver: `NXDOMAIN`, `NODATA`, `failed` or `silent`. */
  resolver: said,
  /** Whether the same resolver resolved control names: `answered`, `failed`, or `none` were known. */
  controls: said,
  /** The response code with DNSSEC checking disabled; null where not asked or not answered. */
  unchecked: said.nullable(),
  /** The zone whose own servers were asked last; null where none was. */
  zone: hostName.nullable(),
  /** The zones' own servers, in the order asked; `answer` is a response code, `referral` or `silent`. */
  servers: z
    .array(
      z.object({
        name: hostName,
        address: z.string().max(45).nullable(),
        answer: said,
      }),
    )
    .max(limits.nameServersMax),
})
export type NameEvidence = z.infer<typeof NameEvidence>

const names = NameEvidence.nullish()

/** What went otherwise than usual and is no fault, in plain words. Absent where there is nothing. */
const notes = z.array(line).max(limits.readingNotesMax).optional()

/** What a type notes besides verdict, time and address. */
export const ReadingDetails = z.discriminatedUnion('type', [
  /** Of a catalog service, what its outages may share with others; of any check, `names` and `notes`. */
  z.object({
    type: z.literal('http'),
    /**
     * The CDN that the answer names itself by, such as `cloudflare`; null where it names none, and of
     * what is no catalog service.
     */
    cdn: z.string().max(40).nullable(),
    /** Of a catalog service's zone, lower case, sorted; empty where they were not learnt. */
    nameServers: z.array(hostName).max(limits.nameServersMax),
    names,
    notes,
  }),
  z.object({
    type: z.literal('multistep'),
    hops: z.array(HopTrace).max(limits.stepsMax * (limits.redirectHopsMax + 1)),
    names,
    notes,
  }),
  z.object({
    type: z.literal('tcp'),
    /** The beginning of what the server sent, control characters shown as escapes. */
    received: line.nullable(),
    names,
  }),
  z.object({
    type: z.literal('dns'),
    /** `NOERROR`, `NXDOMAIN`, ...; null when nothing answered. */
    rcode: z.string().max(20).nullable(),
    /** The least of the answer's records, seconds. */
    ttlSeconds: z.int().min(0).nullable(),
    values: z.array(line).max(limits.dnsValuesMax),
    names,
  }),
  z.object({
    type: z.literal('smtp'),
    banner: line.nullable(),
    /** The EHLO keywords offered last, upper case. */
    extensions: z.array(z.string().max(40)).max(40),
    /** `TLSv1.3`; null where no TLS stood. */
    tlsVersion: z.string().max(20).nullable(),
    names,
  }),
  z.object({
    type: z.literal('browser'),
    title: line.nullable(),
    /** Largest contentful paint, ms rounded to 0.1. */
    lcpMs: z.number().min(0).nullable(),
    /** The first of them; `consoleErrorCount` counts all. */
    consoleErrors: z.array(line).max(10),
    consoleErrorCount: z.int().min(0),
    requests: z.int().min(0),
    /** Requests that the guard refused: the page asked for an address that is no target. */
    refusedRequests: z.int().min(0),
    names,
  }),
])
export type ReadingDetails = z.infer<typeof ReadingDetails>
