import type { ErrorKeyRecord } from '../events/key.ts'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'

type KeyRow = {
  id: string
  account_id: string
  project_id: string
  public_key: string
  created_at: Date
  revoked_at: Date | null
}

const toKey = (row: KeyRow): ErrorKeyRecord => ({
  id: row.id,
  accountId: row.account_id,
  projectId: row.project_id,
  publicKey: row.public_key,
  createdAtMs: row.created_at.getTime(),
  revokedAtMs: row.revoked_at?.getTime() ?? null,
})

/** The keys of a project, oldest first, revoked ones included. */
export const findErrorKeys = async (
  connection: Connection,
  accountId: string,
  projectId: string,
): Promise<ErrorKeyRecord[]> => {
  const rows = await connection<KeyRow[]>`
    select id, account_id, project_id, public_key, created_at, revoked_at from error_keys
    where project_id = ${projectId} and account_id = ${accountId} order by created_at, id`
  return rows.map(toKey)
}

export const insertErrorKey = async (
  transaction: Transaction,
  key: ErrorKeyRecord,
): Promise<void> => {
  await transaction`
    insert into error_keys (id, account_id, project_id, public_key, created_at)
    values (${key.id}, ${key.accountId}, ${key.projectId}, ${key.publicKey},
      ${new Date(key.createdAtMs)})`
}

export const updateErrorKeyRevoked = async (
  transaction: Transaction,
  keyId: string,
  revokedAtMs: number,
): Promise<void> => {
  await transaction`
    update error_keys set revoked_at = ${new Date(revokedAtMs)} where id = ${keyId}`
}
