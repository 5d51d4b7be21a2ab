import { z } from 'zod'
import { limits } from './limits.ts'

/** The parameters of every list. Without `limit` a list has its default length, or all entries where they are few. */
export const pageParameters = {
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** `nextCursor` of the previous page, with the same filters. */
  cursor: z.string().max(1_000).optional(),
}
export type PageQuery = { limit?: number | undefined; cursor?: string | undefined }

/** For the next page; null on the last one. Servers of earlier versions leave it out. */
export const nextCursor = z.string().nullable().optional()

/** Text in a name, for a filter. Case-insensitive. */
export const NameFilter = z.string().max(limits.nameCharactersMax)

export const BooleanFilter = z.enum(['true', 'false'])
