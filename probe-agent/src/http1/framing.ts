import type { Tolerate } from './notes.ts'

/** How the content of a response is delimited (RFC 9112 6.3). */
type Framing =
  | { kind: 'none' }
  | { kind: 'length'; bytes: number }
  | { kind: 'chunked' }
  | { kind: 'until_close' }

/** The fields that delimit content, as sent. */
export type FramingFields = { contentLengths: string[]; transferEncodings: string[] }

/**
 * Where a response's content ends. Two lengths, or a length and a transfer coding, allow request
 * smuggling and are invalid. Browsers accept them, since nothing of ours follows on the connection:
 * equal lengths count as one, a coding overrides a length, and an invalid length is ignored.
 * @returns null when the end is undefined
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

/** The largest length that browsers accept: signed, 64 bits. */
const lengthMax = 2n ** 63n - 1n

/**
 * @returns null: there is no length; `none`: the lengths are invalid
 */
const lengthOf = (fields: readonly string[], tolerate: Tolerate): number | null | 'none' => {
  const [first] = fields
  if (first === undefined) return null
  if (fields.length === 1 && /^\d{1,15}$/.test(first)) return Number(first)
  if (tolerate === null) {
    // a length beyond the safe integers is invalid
    const isOne = fields.length === 1 && /^\d+$/.test(first)
    return isOne && Number.isSafeInteger(Number(first)) ? Number(first) : 'none'
  }
  const lengths = new Set(fields.flatMap((field) => field.split(',').map((one) => one.trim())))
  if (lengths.size > 1) return 'none'
  if (fields.length > 1 || first.includes(',')) tolerate('lengthTwice')
  const [length = ''] = lengths
  // the time of BigInt grows faster than the number of digits
  const digits = /^0*(\d{1,19})$/.exec(length)?.[1]
  if (digits !== undefined && BigInt(digits) <= lengthMax) return Number(digits)
  tolerate('lengthNotNumber')
  return null
}

/** Chunked must be the last coding. */
const isChunked = (transferEncodings: readonly string[]): boolean =>
  transferEncodings.join(',').split(',').at(-1)?.trim().toLowerCase() === 'chunked'
