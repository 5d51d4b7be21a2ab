import type { Tolerate } from './notes.ts'

/** How much of a connection is a response's content (RFC 9112 6.3). */
export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; bytes: number }
  | { kind: 'chunked' }
  | { kind: 'until_close' }

/** What frames content, as it was sent: field by field. */
export type FramingFields = { contentLengths: string[]; transferEncodings: string[] }

/**
 * Where a response's content ends. Two lengths, and a length beside a transfer coding, are what
 * smuggles one message in another: no valid answer. Browsers read them, as nothing of ours follows
 * them on the connection: equal lengths are one, a coding outweighs a length, and a length that is no
 * number is none.
 * @returns null where that cannot be said
 */
export const framingOf = (
  method: string,
  status: number,
  fields: FramingFields,
  tolerate: Tolerate = null,
): Framing | null => {
  const { transferEncodings } = fields
  const coded = transferEncodings.length > 0
  const chunked = coded && isChunked(transferEncodings)
  if (coded && fields.contentLengths.length > 0) {
    if (tolerate === null) return null
    tolerate('lengthAndCoding')
  }
  const length = chunked ? null : lengthOf(fields.contentLengths, tolerate)
  if (length === 'none') return null
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'none' }
  if (chunked) return { kind: 'chunked' }
  if (length === null) return { kind: 'until_close' }
  return length === 0 ? { kind: 'none' } : { kind: 'length', bytes: length }
}

/** Lengths that browsers count with: signed, in 64 bits. */
const lengthMax = 2n ** 63n - 1n

/** @returns null: there is none; `none`: what is there is no valid answer */
const lengthOf = (fields: readonly string[], tolerate: Tolerate): number | null | 'none' => {
  const [first] = fields
  if (first === undefined) return null
  if (fields.length === 1 && /^\d{1,15}$/.test(first)) return Number(first)
  if (tolerate === null) {
    // more bytes than a number can count are no length
    const isOne = fields.length === 1 && /^\d+$/.test(first)
    return isOne && Number.isSafeInteger(Number(first)) ? Number(first) : 'none'
  }
  const lengths = new Set(fields.flatMap((field) => field.split(',').map((one) => one.trim())))
  if (lengths.size > 1) return 'none'
  if (fields.length > 1 || first.includes(',')) tolerate('lengthTwice')
  const [length = ''] = lengths
  if (/^\d+$/.test(length) && BigInt(length) <= lengthMax) return Number(length)
  tolerate('lengthNotNumber')
  return null
}

/** Chunks are the last coding applied, or there are none. */
const isChunked = (transferEncodings: readonly string[]): boolean =>
  transferEncodings.join(',').split(',').at(-1)?.trim().toLowerCase() === 'chunked'
