import { ReadingKind } from '@probe-mesh/contracts/reading/reading'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { z } from 'zod'
import type { ReadingPosition } from './readings-query.ts'

const Position = z.tuple([
  z.int().min(0).max(8_640_000_000_000_000),
  Region,
  ReadingKind,
  z.int().min(0).max(4_294_967_295),
])

/** Where a page ended, as opaque text: the next page starts after exactly this reading. */
export const formatCursor = (position: ReadingPosition): string =>
  Buffer.from(
    JSON.stringify([position.slotMs, position.region, position.kind, position.number]),
  ).toString('base64url')

/** The position of a cursor that we made, or null. */
export const parseCursor = (text: string): ReadingPosition | null => {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  const parsed = Position.safeParse(value)
  if (!parsed.success) return null
  const [slotMs, region, kind, number] = parsed.data
  return { slotMs, region, kind, number }
}
