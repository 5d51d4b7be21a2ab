/**
 * The bytes of a Protocol Buffers message: a sequence of fields, each a tag and a number or a chunk. These
 * are two of the four wire types in use; the two of a fixed size are skipped.
 */
const varintType = 0
const fixed64Type = 1
const chunkType = 2
const fixed32Type = 5

/** A malformed message: cut short, a length beyond its end, or text that is not UTF-8. */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage'
}

/** The value after a tag: a signed number of 64 bits, exact up to 2^53, or a chunk. */
export type Raw = number | Uint8Array

const varintBytesMax = 10

/** Calls `visit` with each field in turn. @throws MalformedMessage */
export const visitFields = (bytes: Uint8Array, visit: (number: number, raw: Raw) => void): void => {
  let at = 0
  const varint = (): bigint | number => {
    const first = bytes[at]
    if (first !== undefined && first < 0x80) {
      at += 1
      return first
    }
    let value = 0n
    for (let taken = 0; taken < varintBytesMax; taken++) {
      const byte = bytes[at++]
      if (byte === undefined) throw new MalformedMessage('it ends within a number')
      value |= BigInt(byte & 0x7f) << BigInt(7 * taken)
      if (byte < 0x80) return value
    }
    throw new MalformedMessage('a number takes more than ten bytes')
  }
  const step = (length: number): number => {
    const from = at
    at += length
    if (at > bytes.length) throw new MalformedMessage('it ends within a field')
    return from
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const number = Math.floor(tag / 8)
    if (number === 0 || tag > 0xffff_ffff) throw new MalformedMessage('a field has no number')
    switch (tag % 8) {
      case varintType:
        visit(number, Number(BigInt.asIntN(64, BigInt(varint()))))
        break
      case chunkType: {
        const length = Number(varint())
        const from = step(length)
        visit(number, bytes.subarray(from, from + length))
        break
      }
      case fixed64Type:
        step(8)
        break
      case fixed32Type:
        step(4)
        break
      default:
        throw new MalformedMessage('a field has an unsupported wire type')
    }
  }
}

const varintBytes = (value: number): number[] => {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return bytes
}

/** A field that holds a whole number. */
export const numberField = (number: number, value: number): Buffer =>
  Buffer.from([...varintBytes(number * 8 + varintType), ...varintBytes(value)])

/** A field that holds bytes. */
export const chunkField = (number: number, chunk: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varintBytes(number * 8 + chunkType), ...varintBytes(chunk.length)]), chunk])
