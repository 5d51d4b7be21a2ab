import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { PageQuery } from '@probe-mesh/contracts/schema/list'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'

/** The refusal of a cursor that this list did not give. */
export const refuseCursor = refuse('SV-2001', {
  errors: [{ path: 'cursor', message: 'is not a cursor of this list' }],
})

/** Positions in a list as opaque text: the next page starts after them. */
export const createCursor = <S extends z.ZodType>(position: S) => ({
  format: (at: z.output<S>): string => Buffer.from(JSON.stringify(at)).toString('base64url'),
  /** @returns null if it is no cursor of this list */
  parse: (text: string): z.output<S> | null => {
    try {
      const parsed = position.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
      return parsed.success ? parsed.data : null
    } catch {
      return null
    }
  },
})

/** The time of an entry, ms, and its id: the order of lists by time. */
export const timeCursor = createCursor(z.tuple([z.int().min(0).max(8_640_000_000_000_000), Uuid]))

/** The place of an entry in its list, and its id. */
const places = createCursor(z.tuple([z.int().min(0), z.string().max(100)]))

/** The first `limit` of entries read with one more, and the position of the last one if others follow. */
export const cutPage = <E, P>(
  found: readonly E[],
  limit: number,
  positionOf: (last: E) => P,
): { entries: E[]; next: P | null } => {
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  return { entries, next: found.length <= limit || last === undefined ? null : positionOf(last) }
}

type Page<E> = { entries: E[]; nextCursor: string | null }

/**
 * One page of a list that is short enough to be read whole. A filter is a field with the same text; `name` is part
 * of the name in any case. If the last entry of a page is gone, the next page starts in its place.
 */
export const pageOf = <E extends { id: string }>(
  all: readonly E[],
  { limit = all.length, cursor, ...filters }: PageQuery & { [field in keyof E]?: string | undefined },
): Page<E> | Refusal => {
  const matching = all.filter((entry) =>
    Object.entries<string | undefined>(filters).every(
      ([field, wanted]) => wanted === undefined || matches(field, entry[field as keyof E], wanted),
    ),
  )
  const last = cursor === undefined ? undefined : places.parse(cursor)
  if (last === null) return refuseCursor
  const start = last === undefined ? 0 : startAfter(matching, last)
  const entries = matching.slice(start, start + limit)
  const end = entries.at(-1)
  const isLast = end === undefined || start + entries.length >= matching.length
  return { entries, nextCursor: isLast ? null : places.format([start + entries.length - 1, end.id]) }
}

const matches = (field: string, value: unknown, wanted: string): boolean =>
  field === 'name'
    ? String(value).toLowerCase().includes(wanted.trim().toLowerCase())
    : String(value) === wanted

const startAfter = (entries: readonly { id: string }[], [place, id]: [number, string]): number => {
  const found = entries.findIndex((entry) => entry.id === id)
  return found === -1 ? place : found + 1
}
