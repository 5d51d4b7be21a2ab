import type { Key } from '@probe-mesh/contracts/account/api-key'
import type { KeyRecord } from './keys-store.ts'

/** A key as lists show it. Pure. */
export const describeKey = (key: KeyRecord): Key => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  hint: key.hint,
  createdAt: new Date(key.createdAtMs).toISOString(),
  revokedAt: key.revokedAtMs === null ? null : new Date(key.revokedAtMs).toISOString(),
})
