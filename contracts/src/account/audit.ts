import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'

/** A write in an account: actor, action and address. */
export const AuditEntry = z.object({
  id: z.string(),
  at: Instant,
  actor: z.object({
    /** `system`: the product by itself. */
    kind: z.enum(['key', 'user', 'operator', 'system']),
    id: z.string().nullable(),
    name: z.string(),
    /** The client address; null for the operator and the system. */
    address: z.string().nullable(),
  }),
  /** The name of the route or of the operator's action. */
  action: z.string(),
  resourceType: z.string(),
  resourceId: z.string(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const SearchText = z.string().max(limits.nameCharactersMax).default('')

export const AuditQuery = z.strictObject({
  /** Text in the action, resource type or resource id. Case-insensitive. */
  what: SearchText,
  /** Text in the actor's name, kind or address. Case-insensitive. */
  who: SearchText,
  /** The id of the last entry of the previous page. */
  before: Uuid.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})
export type AuditQuery = z.infer<typeof AuditQuery>
