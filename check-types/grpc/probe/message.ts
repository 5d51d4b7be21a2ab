import type { HealthStatus } from '../reading/details.ts'

/** Limit of an answer's message without its prefix, bytes: a health status has 2. */
export const messageBytesMax = 4 * 1024

/** A compressed flag and a length of 32 bits stand before each message. */
export const prefixBytes = 5

const statuses: readonly (HealthStatus | undefined)[] = [
  'UNKNOWN',
  'SERVING',
  'NOT_SERVING',
  'SERVICE_UNKNOWN',
]

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const
const tagOf = (field: number, type: number): number => field * 8 + type

/** `HealthCheckRequest { string service = 1; }` with its prefix. */
export const encodeRequest = (service: string): Buffer => {
  const name = Buffer.from(service)
  const field = name.length === 0 ? [] : [tagOf(1, wire.bytes), ...varintOf(name.length), ...name]
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(field.length, 1)
  return Buffer.concat([prefix, Buffer.from(field)])
}

const varintOf = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varintOf(value >>> 7)]

export type Decoded = { ok: true; status: HealthStatus } | { ok: false; problem: string }

const wrong = (problem: string): Decoded => ({ ok: false, problem })
const cut = wrong('the message is cut')

/**
 * `HealthCheckResponse { ServingStatus status = 1; }` with its prefix, the whole content of an answer. Unknown fields
 * are skipped. Never throws.
 */
export const decodeResponse = (bytes: Buffer): Decoded => {
  if (bytes.length === 0) return wrong('there is no message')
  if (bytes.length < prefixBytes) return cut
  const [flag] = bytes
  if (flag === 1) return wrong('the message is compressed, which the probe did not offer')
  if (flag !== 0) return wrong('the message has no valid prefix')
  const length = bytes.readUInt32BE(1)
  if (length > messageBytesMax) return wrong(`the message has more than ${messageBytesMax / 1024} KB`)
  const message = bytes.subarray(prefixBytes)
  if (message.length < length) return cut
  return message.length > length ? wrong('there is more than one message') : decodeFields(message)
}

const decodeFields = (message: Buffer): Decoded => {
  // the default of the field, and the last one counts (proto3)
  let number = 0
  let at = 0
  while (at < message.length) {
    const tag = varintAt(message, at)
    if (tag === null) return cut
    const field = tag.value >> 3n
    const type = Number(tag.value & 7n)
    if (field < 1n || field > fieldMax) return wrong('the message has an invalid field')
    const varint = type === wire.varint || type === wire.bytes ? varintAt(message, tag.end) : null
    const end = endOf(type, tag.end, varint)
    if (end === 'unknown') return wrong('the message has an invalid field')
    if (end === null || end > message.length) return cut
    if (field === 1n && type === wire.varint && varint !== null) number = int32(varint.value)
    at = end
  }
  const status = statuses[number]
  return status === undefined ? wrong(`the status ${number} is not known`) : { ok: true, status }
}

const fieldMax = 2n ** 29n - 1n
const varintBytesMax = 10

type Varint = { value: bigint; end: number }

/** @returns null when it is cut or too long */
const varintAt = (bytes: Buffer, start: number): Varint | null => {
  let value = 0n
  for (let read = 0; read < varintBytesMax; read += 1) {
    const byte = bytes[start + read]
    if (byte === undefined) return null
    value |= BigInt(byte & 0x7f) << BigInt(7 * read)
    if (byte < 0x80) return { value, end: start + read + 1 }
  }
  return null
}

/** Where a field's value ends, perhaps behind the message; null: it is cut. Groups are not of proto3. */
const endOf = (type: number, start: number, varint: Varint | null): number | null | 'unknown' => {
  switch (type) {
    case wire.varint:
      return varint?.end ?? null
    case wire.fixed64:
      return start + 8
    case wire.fixed32:
      return start + 4
    case wire.bytes:
      return varint === null || varint.value > messageBytesMax ? null : varint.end + Number(varint.value)
    default:
      return 'unknown'
  }
}

const int32 = (value: bigint): number => Number(BigInt.asIntN(32, value))
