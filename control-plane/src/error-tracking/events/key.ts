import type { ErrorKey } from '@probe-mesh/contracts/error-tracking/error-project'
import { dsnOf } from './project.ts'
import type { ErrorProjectRecord } from './project.ts'

/** A key of an error project as it is stored. */
export type ErrorKeyRecord = {
  id: string
  accountId: string
  projectId: string
  /** 32 hexadecimal digits, unique among all projects. */
  publicKey: string
  createdAtMs: number
  revokedAtMs: number | null
}

/** A key with its DSN. Pure. */
export const describeErrorKey = (
  { id, publicKey, createdAtMs, revokedAtMs }: ErrorKeyRecord,
  { number }: Pick<ErrorProjectRecord, 'number'>,
  publicUrl: string,
): ErrorKey => ({
  id,
  publicKey,
  dsn: dsnOf({ publicKey, number }, publicUrl),
  createdAt: new Date(createdAtMs).toISOString(),
  revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs).toISOString(),
})
