import { z } from 'zod'
import { Scope } from './api-key.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/instant.ts'
import { Line } from '../schema/text.ts'

/** An API key as lists show it: recognisable, and of no use. */
export const Key = z.object({
  id: z.string(),
  name: z.string(),
  scope: Scope,
  hint: z.string(),
  createdAt: Instant,
  revokedAt: Instant.nullable(),
})
export type Key = z.infer<typeof Key>

export const CreateKeyInput = z.strictObject({ name: Line, scope: Scope })
export type CreateKeyInput = z.infer<typeof CreateKeyInput>

/** The only answer that holds a key (S-2104). */
export const CreatedKey = z.object({ apiKey: z.string(), key: Key })
export type CreatedKey = z.infer<typeof CreatedKey>

export const KeyParams = z.object({ id: Uuid })
