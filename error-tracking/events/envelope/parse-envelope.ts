import { eventIdOf } from '../raw/ids.ts'
import { isRecord, own, type JsonRecord } from '../raw/record.ts'
import { cutNesting } from '../truncate/cut-nesting.ts'
import { nestingMax } from '../truncate/parse-json.ts'
import { instantOf } from './instant-of.ts'

export type EnvelopeItem = {
  type: string
  headers: JsonRecord
  /** A view of the parsed bytes, not a copy. */
  payload: Uint8Array
}

export type Envelope = {
  /**
   * `sentAt` in Unix milliseconds; `eventId` as 32 lower-case hexadecimal digits. Invalid fields are left
   * out.
   */
  header: { eventId?: string; dsn?: string; sentAt?: number }
  items: EnvelopeItem[]
  /** The problem that made the rest unreadable; null if all items were read. */
  broken: string | null
}

/** The header is unreadable. */
type EnvelopeProblem = { problem: string }

/** Items of one envelope. Further ones are not read. */
export const envelopeItemsMax = 100

/** The size of a header line, which can include a large trace. */
export const headerBytesMax = 16 * 1024

const newline = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses an envelope: a header line of JSON, then items, each with a header line of JSON and a payload. A
 * payload has `length` bytes, or ends with its line. Empty lines between items are skipped. A malformed item
 * ends the parsing and keeps the items before it. Never throws.
 */
export const parseEnvelope = (bytes: Uint8Array): Envelope | EnvelopeProblem => {
  const first = headerAt(bytes, 0)
  if (typeof first === 'string') return { problem: `header: ${first}` }
  const envelope: Envelope = { header: describe(first.record), items: [], broken: null }
  let at = first.end + 1
  for (;;) {
    while (bytes[at] === newline) at++
    if (at >= bytes.length) return envelope
    const number = envelope.items.length + 1
    if (number > envelopeItemsMax) {
      return { ...envelope, broken: `more than ${envelopeItemsMax} items` }
    }
    const read = itemAt(bytes, at)
    if (typeof read === 'string') return { ...envelope, broken: `item ${number}: ${read}` }
    envelope.items.push(read.item)
    at = read.end
  }
}

/** The header at a position and the end of its line, or its problem. */
const headerAt = (bytes: Uint8Array, start: number): { record: JsonRecord; end: number } | string => {
  const end = lineEnd(bytes, start)
  if (end - start > headerBytesMax) return `longer than ${headerBytesMax} bytes`
  let record: unknown
  try {
    record = JSON.parse(decoder.decode(cutNesting(bytes.subarray(start, end), nestingMax)))
  } catch {
    return 'not JSON'
  }
  return isRecord(record) ? { record, end } : 'not an object'
}

const itemAt = (bytes: Uint8Array, start: number): { item: EnvelopeItem; end: number } | string => {
  const header = headerAt(bytes, start)
  if (typeof header === 'string') return header
  const type = own(header.record, 'type')
  if (typeof type !== 'string' || type === '') return 'no type'
  // a missing payload after the last line is empty
  const from = Math.min(header.end + 1, bytes.length)
  const length = own(header.record, 'length') ?? undefined
  if (length === undefined) return itemOf(type, header.record, bytes, from, lineEnd(bytes, from))
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) {
    return 'its length is not a number of bytes'
  }
  const to = from + length
  if (to > bytes.length) return 'shorter than its length'
  if (to < bytes.length && bytes[to] !== newline) return 'longer than its length'
  return itemOf(type, header.record, bytes, from, to)
}

const itemOf = (
  type: string,
  headers: JsonRecord,
  bytes: Uint8Array,
  from: number,
  to: number,
): { item: EnvelopeItem; end: number } => ({
  item: { type, headers, payload: bytes.subarray(from, to) },
  end: to + 1,
})

const lineEnd = (bytes: Uint8Array, start: number): number => {
  const end = bytes.indexOf(newline, start)
  return end === -1 ? bytes.length : end
}

const describe = (record: JsonRecord): Envelope['header'] => {
  const eventId = eventIdOf(own(record, 'event_id'))
  const dsn = own(record, 'dsn')
  const sentAt = instantOf(own(record, 'sent_at'))
  return {
    ...(eventId === undefined ? {} : { eventId }),
    ...(typeof dsn === 'string' ? { dsn } : {}),
    ...(sentAt === undefined ? {} : { sentAt }),
  }
}
