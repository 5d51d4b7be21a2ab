import { z } from 'zod'
import { CheckParams, CheckStatus, Instant } from './check.ts'
import { Uuid } from '../schema/ids.ts'
import { read, type Route } from '../schema/route.ts'

/** Checks that a check can depend on. */
export const parentsMax = 5
/** Checks that an answer or a message names. */
export const childrenNamedMax = 20

/** The checks that a check depends on. While one of them is down, the alerts of the check are held (S-1950). */
export const ParentIds = z
  .array(Uuid)
  .max(parentsMax, `a check depends on at most ${parentsMax} checks`)
  .refine((ids) => new Set(ids).size === ids.length, 'a check is named twice')

const RelatedCheck = z.object({
  id: z.string(),
  name: z.string(),
  status: CheckStatus,
  paused: z.boolean(),
})
export type RelatedCheck = z.infer<typeof RelatedCheck>

/** What a check depends on, what depends on it, and what holds its alerts now. */
export const CheckParents = z.object({
  parentIds: z.array(z.string()),
  parents: z.array(RelatedCheck),
  /** Checks that depend on it, failing ones first, then by name. */
  children: z.array(RelatedCheck).max(childrenNamedMax),
  childCount: z.int(),
  /** The parent whose outage holds an alert of this check now; `isDown` false: its failure is not confirmed yet. */
  heldBy: z
    .object({
      id: z.string(),
      name: z.string(),
      since: Instant,
      isDown: z.boolean(),
      endedAt: Instant.nullable(),
    })
    .nullable(),
})
export type CheckParents = z.infer<typeof CheckParents>

export const checkParentsRoutes = {
  getCheckParents: read({
    path: '/checks/:id/parents',
    summary: 'The checks that a check depends on, those that depend on it, and what holds its alerts',
    params: CheckParams,
    output: CheckParents,
  }),
} as const satisfies Record<string, Route>
