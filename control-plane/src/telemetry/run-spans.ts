import { createHash } from 'node:crypto'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'
import { requestSpanId } from '@probe-mesh/contracts/reading/trace-ids'
import type { Timings } from '@probe-mesh/contracts/reading/reading-details'
import { attributesOf, nanosOf, spanKinds, type Span } from './otlp.ts'

/** A stored reading, as a trace shows it. */
export type Run = Pick<
  Reading,
  | 'checkId'
  | 'region'
  | 'slot'
  | 'kind'
  | 'number'
  | 'verdict'
  | 'cause'
  | 'reason'
  | 'httpStatus'
  | 'latencyMs'
  | 'timings'
  | 'measuredAt'
  | 'attempts'
  | 'address'
  | 'details'
> & { agent: string }

export type TracedCheck = {
  id: string
  name: string
  type: CheckType
  url: string | null
  target: string | null
}

/** The phases of a request, in their order. */
const phases = [
  ['dns', 'dnsMs'],
  ['connect', 'connectMs'],
  ['tls', 'tlsMs'],
  ['ttfb', 'ttfbMs'],
  ['transfer', 'transferMs'],
] as const

type Part = { name: string; startMs: number; endMs: number }

/**
 * Where phases lie in time. They follow one another and the last ends an answer that is complete. Of an incomplete one
 * they begin its only request; where redirects may have come before, their place is not known (S-3735).
 */
export const placePhases = (
  timings: Timings,
  { startMs, endMs }: Pick<Part, 'startMs' | 'endMs'>,
  isOneRequest: boolean,
): Part[] => {
  const known = phases.flatMap(([name, field]) => {
    const ms = timings[field]
    return ms === null ? [] : [{ name, ms }]
  })
  if (timings.transferMs === null && !isOneRequest) return []
  const sumMs = known.reduce((sum, { ms }) => sum + ms, 0)
  // each is rounded, so that the sum may be a little longer
  let at = timings.transferMs === null ? startMs : Math.max(startMs, endMs - sumMs)
  return known.map(({ name, ms }) => {
    const from = at
    at = Math.min(endMs, at + ms)
    return { name, startMs: from, endMs: at }
  })
}

const hexOf = (text: string, bytes: number): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, bytes * 2)

/** Types that may follow redirects, which a reading does not list. */
const redirecting: ReadonlySet<CheckType> = new Set(['http', 'browser', 'multistep'])

/**
 * A run as a trace: a root span, one for each request of a journey, and one for each phase. Its ids follow from the
 * reading, so that a repeat is the same trace (S-3734).
 */
export const spansOf = (run: Run, check: TracedCheck): Span[] => {
  const id = readingId(run)
  // spans of the target are below those of the run where the check sends a trace
  const sentId =
    run.details !== null && run.details !== undefined && 'traceId' in run.details
      ? run.details.traceId
      : undefined
  const traceId = sentId ?? hexOf(`trace ${id}`, 16)
  const spanId = (part: string): string => hexOf(`span ${id} ${part}`, 8)
  const sentSpan = (request: number): string | null =>
    sentId === undefined ? null : requestSpanId(sentId, request)
  const isJourney = run.details?.type === 'multistep'
  const root = (isJourney ? null : sentSpan(1)) ?? spanId('run')
  const startMs = run.measuredAt
  const whole = { startMs, endMs: startMs + (run.latencyMs ?? 0) }
  const timed = (part: Part): Pick<Span, 'traceId' | 'name' | 'startTimeUnixNano' | 'endTimeUnixNano'> => ({
    traceId,
    name: part.name,
    startTimeUnixNano: nanosOf(part.startMs),
    endTimeUnixNano: nanosOf(part.endMs),
  })
  const phaseSpans = (parent: string, parts: readonly Part[], prefix: string): Span[] =>
    parts.map((part) => ({
      ...timed(part),
      spanId: spanId(`${prefix}${part.name}`),
      parentSpanId: parent,
      kind: spanKinds.internal,
      attributes: [],
      status: { code: 0 },
    }))
  const hops = run.details?.type === 'multistep' ? run.details.hops : []
  const hopSpans = hops.flatMap((hop): Span[] => {
    const part = `${hop.step}.${hop.hop}`
    const hopId = (hop.hop === 0 ? sentSpan(hop.step) : null) ?? spanId(part)
    const from = startMs + hop.startMs
    const lasted = { startMs: from, endMs: from + hop.latencyMs }
    const span: Span = {
      ...timed({ name: `${hop.method} step ${hop.step}`, ...lasted }),
      spanId: hopId,
      parentSpanId: root,
      kind: spanKinds.client,
      attributes: attributesOf({
        'http.request.method': hop.method,
        'http.response.status_code': hop.httpStatus,
        'url.full': hop.url,
        'network.peer.address': hop.address,
        'probe_mesh.step': hop.step,
        'probe_mesh.redirect': hop.hop,
      }),
      status: { code: 0 },
    }
    return [span, ...phaseSpans(hopId, placePhases(hop.timings, lasted, true), `${part} `)]
  })
  const own = hops.length > 0 ? [] : placePhases(run.timings, whole, !redirecting.has(check.type))
  const rootSpan: Span = {
    ...timed({ name: check.name.toWellFormed(), ...whole }),
    spanId: root,
    kind: spanKinds.client,
    attributes: attributesOf({
      ...rootAttributes(run, check),
      ...Object.fromEntries(
        phases.map(([name, field]) => [`probe_mesh.phase.${name}_ms`, run.timings[field]]),
      ),
    }),
    status:
      run.verdict === 'down' ? { code: 2, message: (run.reason ?? run.cause).toWellFormed() } : { code: 0 },
  }
  return [rootSpan, ...hopSpans, ...phaseSpans(root, own, '')]
}

const rootAttributes = (run: Run, { id, name, type, url, target }: TracedCheck) => ({
  'probe_mesh.check.id': id,
  'probe_mesh.check.name': name,
  'probe_mesh.check.type': type,
  'probe_mesh.region': run.region,
  'probe_mesh.agent': run.agent,
  'probe_mesh.run.kind': run.kind,
  'probe_mesh.verdict': run.verdict,
  'probe_mesh.cause': run.cause,
  'probe_mesh.reason': run.reason,
  'probe_mesh.attempts': run.attempts,
  'url.full': url,
  'probe_mesh.target': url === null ? target : null,
  'http.response.status_code': run.httpStatus,
  'network.peer.address': run.address,
  'error.type': run.verdict === 'down' ? run.cause : null,
})
