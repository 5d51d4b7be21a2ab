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
 * smuggles one message in another: no valid answer.
 * @returns null where that cannot be said
 */
export const framingOf = (
  method: string,
  status: number,
  { contentLengths, transferEncodings }: FramingFields,
): Framing | null => {
  if (contentLengths.length > 1) return null
  const [contentLength] = contentLengths
  const coded = transferEncodings.length > 0
  if (contentLength !== undefined && coded) return null
  const length = contentLength === undefined ? null : lengthOf(contentLength)
  if (contentLength !== undefined && length === null) return null
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'none' }
  if (coded) return isChunked(transferEncodings) ? { kind: 'chunked' } : { kind: 'until_close' }
  if (length === null) return { kind: 'until_close' }
  return length === 0 ? { kind: 'none' } : { kind: 'length', bytes: length }
}

/** More bytes than a number can count are no length. */
const lengthOf = (text: string): number | null => {
  const bytes = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(bytes) ? bytes : null
}

/** Chunks are the last coding applied, or there are none. */
const isChunked = (transferEncodings: readonly string[]): boolean =>
  transferEncodings.join(',').split(',').at(-1)?.trim().toLowerCase() === 'chunked'
