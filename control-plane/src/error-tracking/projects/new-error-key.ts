import { randomBytes } from 'node:crypto'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { ErrorKeyRecord } from '../events/key.ts'

/** A key of an error project that was never there before. */
export const newErrorKey = (
  project: { id: string; accountId: string },
  nowMs: number,
): ErrorKeyRecord => ({
  id: uuidv7(nowMs),
  accountId: project.accountId,
  projectId: project.id,
  publicKey: randomBytes(16).toString('hex'),
  createdAtMs: nowMs,
  revokedAtMs: null,
})
