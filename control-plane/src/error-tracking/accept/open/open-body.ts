import type { ErrorFilters } from '@probe-mesh/contracts/error-tracking/error-settings'
import { headerBytesMax, parseEnvelope } from '../../events/envelope/parse-envelope.ts'
import type { EnvelopeItem } from '../../events/envelope/parse-envelope.ts'
import { readClientReport } from '../../events/envelope/read-client-report.ts'
import { readEvent } from '../../events/envelope/read-event.ts'
import { encodeErrorsMessage } from '../../events/errors-message.ts'
import type { TallyMessage } from '../../events/errors-message.ts'
import { filteredBy } from '../../events/filter/filter-event.ts'
import { scrubEvent } from '../../events/scrub/scrub.ts'
import type { ScrubRules } from '../../events/scrub/scrub.ts'
import { toErrorEvent } from '../../events/to-error-event.ts'
import { parseJson } from '../../events/truncate/parse-json.ts'
import { truncateEvent } from '../../events/truncate/truncate-event.ts'
import { unpackBody } from './unpack.ts'

/** Of one message on the stream, which takes 1 MiB with its headers. */
const messageBytesMax = 1_000_000

/** Item types that SDKs send and that are counted by name; any other is `other`. */
const unsupportedTypes = new Set([
  'transaction',
  'session',
  'sessions',
  'attachment',
  'user_report',
  'feedback',
  'profile',
  'profile_chunk',
  'replay_event',
  'replay_recording',
  'replay_video',
  'check_in',
  'log',
  'metric_buckets',
  'statsd',
  'span',
  'trace_metric',
  'raw_security',
])

/** A body as it came from the wire. */
export type PackedBody = { body: Uint8Array; encoding: string | undefined }

export type OpenQuestion = PackedBody & {
  /** `store`: one event without an envelope. */
  kind: 'envelope' | 'store'
  project: { projectId: string; scrub: ScrubRules; filters: ErrorFilters }
  /** Whether its events are only counted: they are refused whatever they say. */
  countsOnly: boolean
  /** Unix milliseconds. */
  receivedAt: number
}

/** One event of a body: what goes on the stream, or why nothing does. */
export type OpenedEvent =
  | { eventId: string; data: Uint8Array }
  | {
      eventId: string | null
      drop: 'invalid' | 'filtered' | 'scrub' | 'size'
      problem: string
      /** By which filter, or which kind of error kept it from being scrubbed. */
      by?: string
    }
  /** It is there; nobody looked into it. */
  | { eventId: string | null; drop: null }

export type Opened =
  | { refused: 'size' | 'invalid'; problem: string }
  | (Pick<TallyMessage, 'reports' | 'unsupported'> & {
      events: OpenedEvent[]
      /** The envelope's, 32 hexadecimal digits. */
      eventId: string | null
    })

/** A body that is being opened. After each of its events others may have their turn. */
export type Opening = Generator<undefined, Opened, OpeningCommand>
/** `count`: what is left of it is only counted. */
export type OpeningCommand = 'open' | 'count'

/**
 * Unpacks a body, takes it apart, and makes of each event what the stream takes: read, filtered, cut and
 * scrubbed. An ordinary event takes about a millisecond, the worst one about a hundred. Pure; never throws.
 */
export function* openInPieces(question: OpenQuestion): Opening {
  const unpacked = unpackBody(question.body, question.encoding)
  if ('refused' in unpacked) return unpacked
  const { body } = unpacked
  if (question.kind === 'store') {
    const events = [openEvent(question, body, undefined)]
    return { events, reports: [], unsupported: {}, eventId: null }
  }
  const envelope = parseEnvelope(body)
  if ('problem' in envelope) return { refused: 'invalid', problem: envelope.problem }
  const { eventId } = envelope.header
  const of = (type: string) => envelope.items.filter((item) => item.type === type)
  const events: OpenedEvent[] = []
  let { countsOnly } = question
  for (const { payload } of of('event')) {
    if (events.length > 0 && (yield) === 'count') countsOnly = true
    events.push(openEvent({ ...question, countsOnly }, payload, eventId))
  }
  // what could not be read may have been the event
  if (envelope.broken !== null && events.length === 0) {
    events.push({ eventId: null, drop: 'invalid', problem: envelope.broken })
  }
  const others = envelope.items.filter(({ type }) => type !== 'event' && type !== 'client_report')
  return {
    events,
    reports: of('client_report').flatMap(({ payload }) => readClientReport(parseJson(payload))),
    unsupported: countTypes(others),
    eventId: eventId ?? null,
  }
}

/** A whole body, opened at once. */
export const openBody = (question: OpenQuestion): Opened => {
  const opening = openInPieces(question)
  for (;;) {
    const piece = opening.next('open')
    if (piece.done === true) return piece.value
  }
}

/** The DSN in the first line of an envelope, where clients that cannot set a header say it. */
export const dsnOf = ({ body, encoding }: PackedBody): string | undefined => {
  const unpacked = unpackBody(body, encoding)
  if ('refused' in unpacked) return undefined
  const end = unpacked.body.indexOf(0x0a)
  const line = unpacked.body.subarray(0, Math.min(end === -1 ? unpacked.body.length : end, headerBytesMax))
  const header = parseJson(line)
  const isNamed = typeof header === 'object' && header !== null && 'dsn' in header
  return isNamed && typeof header.dsn === 'string' ? header.dsn : undefined
}

const openEvent = (
  { project, receivedAt, countsOnly }: OpenQuestion,
  payload: Uint8Array,
  envelopeId: string | undefined,
): OpenedEvent => {
  if (countsOnly) return { eventId: envelopeId ?? null, drop: null }
  const { projectId, scrub, filters } = project
  const arrival = { receivedAt, ...(envelopeId === undefined ? {} : { eventId: envelopeId }) }
  const raw = readEvent(parseJson(payload), arrival)
  if ('problem' in raw) {
    const problem = `event: ${raw.problem}`
    return { eventId: envelopeId ?? null, drop: 'invalid', problem }
  }
  const { eventId } = raw
  const filter = filteredBy(raw, filters)
  if (filter !== null) {
    const problem = 'a filter of the project drops it'
    return { eventId, drop: 'filtered', problem, by: filter }
  }
  let data: Uint8Array
  try {
    const event = toErrorEvent(scrubEvent(truncateEvent(raw), scrub), projectId, scrub)
    data = encodeErrorsMessage({ kind: 'event', event })
  } catch (error) {
    // of the event itself nothing may be said: it is not scrubbed
    const by = error instanceof Error ? error.name : typeof error
    return { eventId, drop: 'scrub', problem: 'the event could not be scrubbed', by }
  }
  return data.length > messageBytesMax
    ? { eventId, drop: 'size', problem: 'the event is too large' }
    : { eventId, data }
}

const countTypes = (items: readonly EnvelopeItem[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { type } of items) {
    const name = unsupportedTypes.has(type) ? type : 'other'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
