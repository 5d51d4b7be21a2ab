import { z } from 'zod'
import { field } from './field.ts'

const example = '6f2a2f0c-3c3e-4d5e-9a51-0f1f6a1f7c11'

export const Uuid = field(
  z.uuid('must be a UUID').transform((id) => id.toLowerCase()),
  'Id.',
  example,
)

/** An id in an answer. */
export const id = field(z.string(), 'Id.', example)

/** The answer to a deletion. */
export const Deleted = z.object({ id, deleted: field(z.literal(true), 'Always true.', true) })

/**
 * A UUIDv7 (RFC 9562 5.7): 48 bits of Unix milliseconds, then random bits. Ids sort by time of creation.
 * @param nowMs Unix time in milliseconds
 */
export const uuidv7 = (nowMs: number): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(nowMs / 2 ** 32))
  view.setUint32(2, nowMs % 2 ** 32)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
