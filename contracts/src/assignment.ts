import { z } from 'zod'
import { Assertions } from './assertions.ts'
import { Uuid } from './ids.ts'
import { limits } from './limits.ts'
import { ReadingKind } from './reading.ts'
import { Region } from './regions.ts'

/** A check as one region's agents receive it: self-contained, with a revision. */
export const Assignment = z.object({
  checkId: Uuid,
  accountId: z.string(),
  region: Region,
  revision: z.int().min(1),
  /** Since when this revision's slots are due, Unix ms. */
  validFrom: z.int(),
  intervalSeconds: z.int().min(1),
  type: z.literal('http'),
  url: z.string().max(limits.urlCharactersMax),
  assertions: Assertions,
  /** Whose target it is decides what is `blocked` (architecture.md, Status). */
  owner: z.enum(['account', 'catalog']),
})
export type Assignment = z.infer<typeof Assignment>

/** Milliseconds one attempt may take: a slot has two attempts and must end before the next slot. */
export const attemptDeadlineMs = (intervalSeconds: number): number =>
  Math.min(limits.attemptMsMax, limits.attemptShareOfInterval * intervalSeconds * 1000)

/** What is asked over `mesh.run.<region>`: one run at once, of a self-contained assignment. */
export const RunRequest = z.object({
  kind: ReadingKind.exclude(['scheduled']),
  /** The instant asked for, Unix ms: the reading's slot. */
  at: z.int(),
  number: z.int().min(0).max(4_294_967_295),
  assignment: Assignment,
})
export type RunRequest = z.infer<typeof RunRequest>
