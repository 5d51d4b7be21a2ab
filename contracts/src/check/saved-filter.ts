import { z } from 'zod'
import { CheckType, Instant } from './check.ts'
import { CheckSort, ListedStatus } from './check-row.ts'
import { Tag } from './tags.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { read, write, type Route } from '../schema/route.ts'
import { Line } from '../schema/text.ts'

export const savedFiltersMax = 50
export const filterNameCharactersMax = 60

/** The filter and order of a list of checks, as in its address. */
const FilterQuery = z.strictObject({
  q: z.string().min(1).max(limits.nameCharactersMax).optional(),
  status: ListedStatus.optional(),
  type: CheckType.optional(),
  tag: Tag.optional(),
  owner: Uuid.optional(),
  sort: CheckSort.optional(),
})

export const CreateSavedFilterInput = z.strictObject({
  name: Line.max(filterNameCharactersMax),
  query: FilterQuery.refine((query) => Object.keys(query).length > 0, 'must select or order the checks'),
})
export type CreateSavedFilterInput = z.infer<typeof CreateSavedFilterInput>

/** A filter of the list of checks, for all members of the account. */
export const SavedFilter = z.object({
  id: z.string(),
  name: z.string(),
  /** A newer version may have stored other fields and values. */
  query: z.record(z.string(), z.string()),
  createdAt: Instant,
})
export type SavedFilter = z.infer<typeof SavedFilter>

const SavedFilterParams = z.object({ id: Uuid })

export const savedFilterRoutes = {
  listSavedFilters: read({
    path: '/saved-filters',
    summary: 'The saved filters of the list of checks, by name',
    output: z.object({ savedFilters: z.array(SavedFilter) }),
  }),
  createSavedFilter: write({
    method: 'POST',
    path: '/saved-filters',
    summary: 'Save a filter of the list of checks for all members',
    success: 201,
    body: CreateSavedFilterInput,
    output: SavedFilter,
    codes: ['SV-3002'],
  }),
  deleteSavedFilter: write({
    method: 'DELETE',
    path: '/saved-filters/:id',
    summary: 'Delete a saved filter; its checks stay',
    params: SavedFilterParams,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
  }),
} as const satisfies Record<string, Route>
