import { z } from 'zod'
import { Instant } from './instant.ts'

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

export const AuditQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50),
})
