import { eventIdOf } from '../raw/ids.ts'
import { isRecord, own } from '../raw/record.ts'
import type { JsonRecord } from '../raw/record.ts'
import { cutNesting } from '../truncate/cut-nesting.ts'
import { nestingMax } from '../truncate/parse-json.ts'
import { instantOf } from './instant-of.ts'

export type EnvelopeItem = {
  type: string
  headers: JsonRecord
  /** A part of what was parsed, not a copy. */
  payload: Uint8Array
}

export type Envelope = {
  /** `sentAt` in Unix milliseconds; `eventId` as 32 lower-case hexadecimal digits. What is neither is left out. */
  header: { eventId?: string; dsn?: string; sentAt?: number }
  items: EnvelopeItem[]
  /** Why the rest could not be read, where these are not all items; null where they are. */
  broken: string | null
}

/** Not even the header could be read. */
type EnvelopeProblem = { problem: string }

/** Items of one envelope at the most: what comes after is not read. */
export const envelopeItemsMax = 100

/** A header's line: the trace that SDKs put there may hold much. */
export const headerBytesMax = 16 * 1024

const newline = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Takes an envelope apart: a line of JSON, then items, each a line of JSON and a payload, which has the
 * `length` that line says, in bytes, or else ends with its own line. Empty lines between items are
 * passed over. What is malformed after the header costs what comes after it, never what came before.
 * Never throws.
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

/** The header that begins at a place, and where its line ends; or what is wrong with it. */
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
  // after the last line a payload may be missing: it is empty then
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
