import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id } from '../schema/ids.ts'
import { Scope } from './api-key.ts'
import { Region } from '../reading/regions.ts'
import { Tier } from './tiers.ts'

/** `GET /me`: the account and key, and their remaining limits. */
export const Me = z.object({
  account: field(
    z.object({
      id,
      name: field(z.string(), 'Name of the account.', 'Example'),
      tier: field(Tier, 'Plan of the account.', 'growth'),
    }),
    'Account of the key.',
  ),
  key: field(
    z.object({
      scope: field(Scope, '`read` may only read.', 'read_write'),
      name: field(z.string(), 'Name of the key.', 'ci'),
    }),
    'Key of the request.',
  ),
  limits: field(
    z.object({
      monitors: field(
        z.object({
          used: field(z.int(), 'Existing checks.', 4),
          allowed: field(z.int(), 'Checks that the plan allows.', 100),
        }),
        'Number of checks.',
      ),
      minimumIntervalSeconds: field(z.int(), 'Shortest interval that the plan allows.', 60),
      reads: field(
        z.object({ left: field(z.int(), 'Requests that are left.', 118) }),
        'Read budget of this minute.',
      ),
      writes: field(
        z.object({ left: field(z.int(), 'Requests that are left.', 118) }),
        'Write budget of this minute.',
      ),
    }),
    'Limits of the account and what is left of them.',
  ),
  regions: field(z.array(Region), 'Live regions, the default of a check.', ['iad', 'sjc', 'fra', 'nrt']),
})
export type Me = z.infer<typeof Me>
components.add(Me, { id: 'Me' })
