import type { ErrorFilters } from '../../contracts/error-settings.ts'
import { headerBytesMax, parseEnvelope, type EnvelopeItem } from '../../events/envelope/parse-envelope.ts'
import { readClientReport } from '../../events/envelope/read-client-report.ts'
import { readCheckIn, type CheckIn } from '../../events/envelope/read-check-in.ts'
import { readEvent } from '../../events/envelope/read-event.ts'
import { encodeErrorsMessage, type TallyMessage } from '../../events/errors-message.ts'
import { filteredBy } from '../../events/filter/filter-event.ts'
import { scrubEvent, type ScrubRules } from '../../events/scrub/scrub.ts'
import { toErrorEvent } from '../../events/to-error-event.ts'
import { parseJson } from '../../events/truncate/parse-json.ts'
import { truncateEvent } from '../../events/truncate/truncate-event.ts'
import { unpackBody } from './unpack.ts'

/** The size limit of a message. The stream accepts 1 MiB with headers. */
const messageBytesMax = 1_000_000

/** Item types that are counted by name; all others count as `other`. */
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
  'log',
  'metric_buckets',
  'statsd',
  'span',
  'trace_metric',
  'raw_security',
])

/** A body as received. */
export type PackedBody = { body: Uint8Array; encoding: string | undefined }

export type OpenRequest = PackedBody & {
  /** `store`: one event without an envelope. */
  kind: 'envelope' | 'store'
  project: { projectId: string; scrub: ScrubRules; filters: ErrorFilters }
  /** Whether its events are only counted, because they are refused anyway. */
  countsOnly: boolean
  /** Unix milliseconds. */
  receivedAt: number
}

/** One event of a body: the message for the stream, or the reason for the drop. */
export type OpenedEvent =
  | { eventId: string; data: Uint8Array }
  | {
      eventId: string | null
      drop: 'invalid' | 'filtered' | 'scrub' | 'size'
      problem: string
      /** The name of the filter, or of the error that stopped the scrubbing. */
      detail?: string
    }
  /** An event that was only counted. */
  | { eventId: string | null; drop: null }

export type Opened =
  | { refused: 'size' | 'invalid'; problem: string }
  | (Pick<TallyMessage, 'reports' | 'unsupported'> & {
      events: OpenedEvent[]
      checkIns: (CheckIn | { problem: string })[]
      /** The envelope's, 32 hexadecimal digits. */
      eventId: string | null
    })

/** Opens a body event by event, so that other bodies can take turns. */
export type Opening = Generator<undefined, Opened, OpeningCommand>
/** `count`: only count the remaining events. */
export type OpeningCommand = 'open' | 'count'

/**
 * Unpacks and parses a body, and turns each event into a message: read, filtered, truncated and scrubbed. A
 * typical event takes about 1 ms, the worst one about 100 ms. Pure; never throws.
 */
export function* openInPieces(question: OpenRequest): Opening {
  const unpacked = unpackBody(question.body, question.encoding)
  if ('refused' in unpacked) return unpacked
  const { body } = unpacked
  if (question.kind === 'store') {
    const events = [openEvent(question, body, undefined)]
    return { events, checkIns: [], reports: [], unsupported: {}, eventId: null }
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
  // the unreadable rest may have been the event
  if (envelope.broken !== null && events.length === 0) {
    events.push({ eventId: null, drop: 'invalid', problem: envelope.broken })
  }
  const others = envelope.items.filter(({ type }) => !['event', 'client_report', 'check_in'].includes(type))
  return {
    events,
    checkIns: of('check_in').map(({ payload }) => readCheckIn(parseJson(payload))),
    reports: of('client_report').flatMap(({ payload }) => readClientReport(parseJson(payload))),
    unsupported: countTypes(others),
    eventId: eventId ?? null,
  }
}

/** Opens a whole body at once. */
export const openBody = (question: OpenRequest): Opened => {
  const opening = openInPieces(question)
  for (;;) {
    const piece = opening.next('open')
    if (piece.done === true) return piece.value
  }
}

/** The DSN in the first line of an envelope, for clients that cannot set headers. */
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
  { project, receivedAt, countsOnly }: OpenRequest,
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
    return { eventId, drop: 'filtered', problem, detail: filter }
  }
  let data: Uint8Array
  try {
    const event = toErrorEvent(scrubEvent(truncateEvent(raw), scrub), projectId, scrub)
    data = encodeErrorsMessage({ kind: 'event', event })
  } catch (error) {
    // the error message could contain text of the unscrubbed event
    const detail = error instanceof Error ? error.name : typeof error
    return { eventId, drop: 'scrub', problem: 'the event could not be scrubbed', detail }
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
