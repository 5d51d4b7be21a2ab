import { z } from 'zod'
import { Check, CheckDetail, CheckType } from './check.ts'
import { CheckRow, CheckSort, ListedStatus, rowsHead } from './check-row.ts'
import { Tag } from './tags.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { checksPerRuleMax } from '../alert/alert-rule.ts'
import { read, type Route } from '../schema/route.ts'

export { ListedStatus }

const CheckPartQuery = z.strictObject({
  /** Text in the name, address or type. Case-insensitive. */
  q: z.string().max(limits.nameCharactersMax).default(''),
  status: ListedStatus.optional(),
  type: CheckType.optional(),
  /** One of its tags, in any case. */
  tag: Tag.optional(),
  /** The member who owns it. */
  owner: Uuid.optional(),
  /** From 1. A number above the last page gives the last page. */
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  sort: CheckSort.default('status'),
})

/** One page of an account's checks, at one instant. */
export const CheckPart = z.object({
  checks: z.array(CheckRow),
  number: z.int(),
  last: z.int(),
  /** Matching checks on all pages. */
  total: z.int(),
  /** Counts of all checks by status, without zeros. */
  counts: z.partialRecord(ListedStatus, z.int()),
  /** Counts of checks with the text, type, tag and owner, for all statuses. */
  matching: z.partialRecord(ListedStatus, z.int()),
  ...rowsHead,
  vantage: CheckDetail.shape.vantage,
})
export type CheckPart = z.infer<typeof CheckPart>

/** Ids in one request: the maximum of an alert rule. */
export const namedChecksMax = checksPerRuleMax
/** Checks in a list of choices. People find others by name. */
export const checkChoicesMax = 200

const CheckNamesQuery = z.strictObject({
  /** Ids of the checks to name, separated by commas. */
  ids: z
    .string()
    .max(namedChecksMax * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(namedChecksMax))
    .optional(),
  /** Searches other checks by name or address. Case-insensitive. Absent skips the search. */
  q: z.string().max(limits.urlCharactersMax).optional(),
  /** Maximum number of search results. */
  most: z.coerce.number().int().min(1).max(checkChoicesMax).default(checkChoicesMax),
  /** A status page id. Limits the search to checks that can be published there and are not yet. */
  publishableOn: Uuid.optional(),
})

/** The name, target and regions of a check, without its status. */
export const CheckName = Check.pick({
  id: true,
  name: true,
  type: true,
  url: true,
  target: true,
  regions: true,
})
export type CheckName = z.infer<typeof CheckName>

/** Checks by id and by search, each list sorted by name. */
export const CheckNames = z.object({
  /** Checks with the given ids. */
  named: z.array(CheckName),
  /** null without a search. */
  found: z
    .object({
      /** Matching checks without the given ids, at most `most`. */
      checks: z.array(CheckName),
      /** Number of further matching checks. */
      left: z.int(),
      /** Number of matching checks, including the given ids. */
      count: z.int(),
      /** Number of all checks. */
      all: z.int(),
    })
    .nullable(),
})
export type CheckNames = z.infer<typeof CheckNames>

/** Paged lists of the account's checks for the dashboard. */
export const checkListRoutes = {
  listCheckPart: read({
    path: '/check-list',
    summary: 'One page of the checks, worst first, with the number of checks in each status',
    query: CheckPartQuery,
    output: CheckPart,
  }),
  listCheckNames: read({
    path: '/check-names',
    summary: 'Names of checks, by ids and by search text',
    query: CheckNamesQuery,
    output: CheckNames,
  }),
} as const satisfies Record<string, Route>
