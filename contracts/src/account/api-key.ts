import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'

export const Scope = z.enum(['read', 'read_write'])
export type Scope = z.infer<typeof Scope>

/** An API key in a list, without the secret. */
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

/** The only response with the full key (S-2104). */
export const CreatedKey = z.object({ apiKey: z.string(), key: Key })
export type CreatedKey = z.infer<typeof CreatedKey>

export const KeyParams = z.object({ id: Uuid })
