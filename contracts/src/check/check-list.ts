import { z } from 'zod'
import { Check, CheckDetail, CheckStatus, CheckType } from './check.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { checksPerRuleMax } from '../alert/alert-rule.ts'
import type { Route } from '../schema/route.ts'

/** What a check of the list counts as: a paused one is not measured, so it has no status. */
export const ListedStatus = z.enum([...CheckStatus.options, 'paused'])
export type ListedStatus = z.infer<typeof ListedStatus>

export const CheckPartQuery = z.strictObject({
  /** What the name, address or type has to have in it, in any case. */
  q: z.string().max(limits.nameCharactersMax).default(''),
  status: ListedStatus.optional(),
  type: CheckType.optional(),
  /** From 1; beyond the last it is the last. */
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
})

/** One part of an account's checks, as they stand at one instant. */
export const CheckPart = z.object({
  checks: z.array(Check),
  number: z.int(),
  last: z.int(),
  /** Found in all parts. */
  total: z.int(),
  /** Of all checks, found or not; a status that no check has is left out. */
  counts: z.partialRecord(ListedStatus, z.int()),
  /** Of those that have the text and the type, whatever status is asked for. */
  matching: z.partialRecord(ListedStatus, z.int()),
  at: Instant,
  vantage: CheckDetail.shape.vantage,
})
export type CheckPart = z.infer<typeof CheckPart>

export const CheckTrendsQuery = z.strictObject({
  /** Ids, with commas between them. */
  ids: z
    .string()
    .max(limits.checksPerPart * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(limits.checksPerPart)),
})

/** A check's scheduled readings, all regions together. */
export const CheckTrend = z.object({
  checkId: z.string(),
  p50Ms: z.number().nullable(),
  up: z.int(),
  down: z.int(),
  /** Of hours in which something was measured, oldest first. */
  hours: z.array(
    z.object({ at: Instant, p50Ms: z.number().nullable(), up: z.int(), down: z.int() }),
  ),
})
export type CheckTrend = z.infer<typeof CheckTrend>

export const CheckTrends = z.object({ from: Instant, to: Instant, trends: z.array(CheckTrend) })
export type CheckTrends = z.infer<typeof CheckTrends>

/** Ids that one question may have: as many checks as an alert rule names. */
export const namedChecksMax = checksPerRuleMax
/** Of five thousand checks a browser is given so many to choose from: the rest is found by name. */
export const checkChoicesMax = 200

export const CheckNamesQuery = z.strictObject({
  /** Of checks to be named, with commas between them. */
  ids: z
    .string()
    .max(namedChecksMax * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(namedChecksMax))
    .optional(),
  /** What the name or address of others has to have in it, in any case; absent where none are looked for. */
  q: z.string().max(limits.urlCharactersMax).optional(),
  /** How many others are given. */
  most: z.coerce.number().int().min(1).max(checkChoicesMax).default(checkChoicesMax),
  /** Of a status page: only checks that may be published there and are not yet. */
  publishableOn: Uuid.optional(),
})

/** What people know a check by, and where it is measured; nothing of how it is. */
export const CheckName = Check.pick({
  id: true,
  name: true,
  type: true,
  url: true,
  target: true,
  regions: true,
})
export type CheckName = z.infer<typeof CheckName>

/** Some checks of an account, each part by name. */
export const CheckNames = z.object({
  /** Those of the ids that the account has. */
  named: z.array(CheckName),
  /** null where none were looked for. */
  found: z
    .object({
      /** Those that have the text and are not of the ids, as many as were asked for. */
      checks: z.array(CheckName),
      /** Others that have it, and are not given. */
      left: z.int(),
      /** Checks that have the text, of the ids or not. */
      count: z.int(),
      /** Checks with the text or without it. */
      all: z.int(),
    })
    .nullable(),
})
export type CheckNames = z.infer<typeof CheckNames>

/** The account's checks as the dashboard lists and names them, however many they are. */
export const checkListRoutes = {
  listCheckPart: {
    method: 'GET',
    path: '/check-list',
    scope: 'read',
    budget: 'reads',
    summary: 'One part of the checks, worst first, and how many there are of each status',
    success: 200,
    query: CheckPartQuery,
    output: CheckPart,
  },
  listCheckTrends: {
    method: 'GET',
    path: '/check-trends',
    scope: 'read',
    budget: 'reads',
    summary: 'The last 24 hours of several checks, by the hour',
    success: 200,
    query: CheckTrendsQuery,
    output: CheckTrends,
    codes: ['SV-9002'],
  },
  listCheckNames: {
    method: 'GET',
    path: '/check-names',
    scope: 'read',
    budget: 'reads',
    summary: 'Names of checks, those of some ids and those that have a text',
    success: 200,
    query: CheckNamesQuery,
    output: CheckNames,
  },
} as const satisfies Record<string, Route>
