import { FactorKind } from '@probe-mesh/contracts/outage/answers'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { z } from 'zod'
import type { SharedState } from '../shared-incident.ts'

const ms = z.number()

const Member = z.object({
  slug: z.string(),
  name: z.string(),
  sinceMs: ms,
  failedAtMs: ms,
  failing: z.boolean(),
})

const OpenIncident = z.object({
  factor: z.object({ kind: FactorKind, name: z.string() }),
  region: Region.nullish(),
  sinceMs: ms,
  members: z.array(Member).min(1),
  peak: z.int().min(1),
  measuredCount: z.int().min(0),
  regions: z.array(Region),
  confidence: z.number().min(0).max(1),
  quietSinceMs: ms.nullable(),
})

/** Shared incidents as they are kept in Postgres. */
export const StoredSharedState = z.object({
  open: z.array(OpenIncident),
  spent: z.array(z.object({ slug: z.string(), sinceMs: ms })),
}) satisfies z.ZodType<SharedState>
