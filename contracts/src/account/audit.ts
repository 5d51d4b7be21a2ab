import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'

/** A write of the account: who, what, from where. */
export const AuditEntry = z.object({
  id: z.string(),
  at: Instant,
  actor: z.object({
    kind: z.enum(['key', 'user', 'operator']),
    id: z.string().nullable(),
    name: z.string(),
    /** The address that the request came from; null for the operator. */
    address: z.string().nullable(),
  }),
  /** The name of the route or of the operator's act. */
  action: z.string(),
  resourceType: z.string(),
  resourceId: z.string(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const Sought = z.string().max(limits.nameCharactersMax).default('')

export const AuditQuery = z.strictObject({
  /** Text that the action, the type or the id of what was written has in it, in any case. */
  what: Sought,
  /** Text that the writer's name, kind or address has in it, in any case. */
  who: Sought,
  /** The id of the last one that is known already. */
  before: Uuid.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})
export type AuditQuery = z.infer<typeof AuditQuery>
