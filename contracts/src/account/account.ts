import { z } from 'zod'
import { Scope } from './api-key.ts'
import { Region } from '../reading/regions.ts'
import { Tier } from './tiers.ts'

/** `GET /me`: the account and key, and their remaining limits. */
export const Me = z.object({
  account: z.object({ id: z.string(), name: z.string(), tier: Tier }),
  key: z.object({ scope: Scope, name: z.string() }),
  limits: z.object({
    monitors: z.object({ used: z.int(), allowed: z.int() }),
    minimumIntervalSeconds: z.int(),
    reads: z.object({ left: z.int() }),
    writes: z.object({ left: z.int() }),
  }),
  /** The live regions, which are the default of a check. */
  regions: z.array(Region),
})
export type Me = z.infer<typeof Me>
