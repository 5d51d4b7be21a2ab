/** How a call of gRPC ends, by the numbers of its statuses; those that a server here sends. */
export const status = { ok: 0, resourceExhausted: 8, unimplemented: 12, internal: 13 } as const

/** A call that ends with another status than ok. */
export class CallFailed extends Error {
  override name = 'CallFailed'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** In a header: what is not printable ASCII, and `%`, by the bytes of its UTF-8. */
export const statusMessage = (message: string): string =>
  Array.from(Buffer.from(message), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
