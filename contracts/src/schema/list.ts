import { z } from 'zod'
import { field } from './field.ts'
import { limits } from './limits.ts'

/** @param max entries of a page */
export const limitUpTo = (max: number) =>
  field(z.coerce.number().int().min(1).max(max).optional(), 'Maximum number of entries.', 50)

/** The parameters of every list. Without `limit` a list has its default length, or all entries where they are few. */
export const pageParameters = {
  limit: limitUpTo(500),
  cursor: field(z.string().max(1_000).optional(), '`nextCursor` of the previous page with the same filters.'),
}
export type PageQuery = { limit?: number | undefined; cursor?: string | undefined }

/** For the next page; null on the last one. Servers of earlier versions leave it out. */
export const nextCursor = field(z.string().nullable().optional(), 'Next page. null on the last.', null)

/** Text in a name, for a filter. Case-insensitive. */
export const NameFilter = z.string().max(limits.nameCharactersMax)

export const BooleanFilter = z.enum(['true', 'false'])
