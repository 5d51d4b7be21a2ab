import { z } from 'zod'
import { components, field } from '../schema/field.ts'
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
  dnsMs: field(phaseMs, 'Name resolution.', 4.1),
  connectMs: field(phaseMs, 'TCP connection.', 12.6),
  tlsMs: field(phaseMs, 'TLS handshake.', 25.3),
  ttfbMs: field(phaseMs, 'Wait for the first byte.', 38.9),
  transferMs: field(phaseMs, 'Transfer of the body.', 3.3),
})
export type Timings = z.infer<typeof Timings>
components.add(Timings, { id: 'Timings' })

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
  step: field(z.int().min(1).max(limits.stepsMax), 'Number of the step, from 1.', 1),
  hop: field(z.int().min(0).max(limits.redirectHopsMax), "0: the step's own request, then its redirects.", 0),
  method: field(StepMethod, 'HTTP method.', 'GET'),
  url: field(
    z.string().max(300),
    'Origin and path, without the query, which may contain a secret.',
    'https://shop.example.com/cart',
  ),
  httpStatus: field(z.int().min(100).max(999).nullable(), 'Status of the response.', 200),
  startMs: field(z.number().min(0), 'From the start of the run to the start of the request.', 96.4),
  latencyMs: field(z.number().min(0), 'Duration.', 84.2),
  timings: field(Timings, 'Phases of the final request, ms. null: not reached.'),
  address: field(z.string().max(45).nullable(), 'IP address.', '203.0.113.7'),
})
export type HopTrace = z.infer<typeof HopTrace>
components.add(HopTrace, { id: 'Hop' })

const hostName = z.string().max(253)

const notes = field(z.array(line).max(limits.readingNotesMax).optional(), 'Unusual events, no faults.', [])

const traceId = field(
  z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  'W3C trace id that was sent with the requests. Absent without one.',
  '4bf92f3577b34da6a3ce929d0e0e4736',
)

const exchange = field(
  Exchange.optional(),
  'What was sent and what came back, when a failure begins and once an hour. Secrets are hidden.',
)

/** Details of a reading that are specific to the type. */
export const ReadingDetails = z.discriminatedUnion('type', [
  /** The providers that outages may share. Absent for a check of an account without any, and without notes. */
  z.object({
    type: field(z.literal('http'), 'Type of the check.', 'http'),
    cdn: field(z.string().max(40).nullable(), 'CDN that answered, by its headers. null without one.', null),
    nameServers: field(
      z.array(hostName).max(limits.nameServersMax),
      "Name servers of a catalog service's zone, sorted. Empty when unknown.",
      [],
    ),
    ...named,
    notes,
    traceId,
    exchange,
  }),
  z.object({
    type: field(z.literal('multistep'), 'Type of the check.', 'http'),
    hops: field(
      z.array(HopTrace).max(limits.stepsMax * (limits.redirectHopsMax + 1)),
      'Requests of a journey, redirects included.',
    ),
    ...named,
    notes,
    traceId,
    exchange,
  }),
  ...detailsOfTypes,
])
export type ReadingDetails = z.infer<typeof ReadingDetails>
components.add(ReadingDetails, { id: 'ReadingDetails' })

/** Whether this version knows the details of a type. */
export const isKnownDetails = (type: string): boolean =>
  ReadingDetails.options.some(({ shape }) => shape.type.value === type)
