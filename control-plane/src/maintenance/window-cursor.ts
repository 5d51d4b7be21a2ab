import { z } from 'zod'

const Position = z.tuple([z.int().min(0).max(8_640_000_000_000_000), z.uuid()])

/** Where a page ended, as opaque text: the next page starts after exactly this window. */
export const formatWindowCursor = ({ endsAtMs, id }: { endsAtMs: number; id: string }): string =>
  Buffer.from(JSON.stringify([endsAtMs, id])).toString('base64url')

/** The position of a cursor that we made, or null. */
export const parseWindowCursor = (text: string): { endsAtMs: number; id: string } | null => {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  const parsed = Position.safeParse(value)
  return parsed.success ? { endsAtMs: parsed.data[0], id: parsed.data[1] } : null
}
