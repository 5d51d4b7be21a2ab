import { openErrorKeysMax, type ErrorKey } from '../contracts/error-project.ts'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockErrorProject } from './error-projects-store.ts'
import { dsnOf, type ErrorProjectRecord } from './project.ts'
import type { AccountContext, Writer } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { write } from '@probe-mesh/control-plane/src/accounts/operations/write'
import { randomBytes } from 'node:crypto'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

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
  db: Connection,
  accountId: string,
  projectId: string,
): Promise<ErrorKeyRecord[]> => {
  const rows = await db<KeyRow[]>`
    select id, account_id, project_id, public_key, created_at, revoked_at from error_keys
    where project_id = ${projectId} and account_id = ${accountId} order by created_at, id`
  return rows.map(toKey)
}

export const insertErrorKey = async (tx: Transaction, key: ErrorKeyRecord): Promise<void> => {
  await tx`
    insert into error_keys (id, account_id, project_id, public_key, created_at)
    values (${key.id}, ${key.accountId}, ${key.projectId}, ${key.publicKey},
      ${new Date(key.createdAtMs)})`
}

const updateErrorKeyRevoked = async (tx: Transaction, keyId: string, revokedAtMs: number): Promise<void> => {
  await tx`
    update error_keys set revoked_at = ${new Date(revokedAtMs)} where id = ${keyId}`
}

/** A new random key of an error project. */
export const newErrorKey = (project: { id: string; accountId: string }, nowMs: number): ErrorKeyRecord => ({
  id: uuidv7(nowMs),
  accountId: project.accountId,
  projectId: project.id,
  publicKey: randomBytes(16).toString('hex'),
  createdAtMs: nowMs,
  revokedAtMs: null,
})

/** Creates another key of a project, so that SDKs can switch before the old one is revoked. */
export const createErrorKey = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorKey | Refusal> => {
  const name = {
    action: 'createErrorKey',
    resourceType: 'error_key',
    resourceId: (key: ErrorKey) => key.id,
    answer: (key: ErrorKey) => key,
  }
  return write(context, writer, name, async (tx): Promise<ErrorKey | Refusal> => {
    // this lock makes changes of one project's keys sequential
    const project = await lockErrorProject(tx, writer.accountId, id)
    if (project === null) return refuse('SV-3001')
    const keys = await findErrorKeys(tx, writer.accountId, id)
    if (keys.filter(({ revokedAtMs }) => revokedAtMs === null).length >= openErrorKeysMax) {
      return refuse('SV-3002', {
        message: `The project has ${openErrorKeysMax} keys, the limit. Revoke one first.`,
      })
    }
    const key = newErrorKey(project, context.now())
    await insertErrorKey(tx, key)
    return describeErrorKey(key, project, context.rules.publicUrl)
  })
}

/**
 * Revokes a key; a second call keeps the first time. SV-3002 for the last active key, because a project
 * always has a DSN. To stop reports, delete the project.
 */
export const revokeErrorKey = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { params: { id, keyId } }: { params: { id: string; keyId: string } },
): Promise<ErrorKey | Refusal> => {
  const name = { action: 'revokeErrorKey', resourceType: 'error_key', resourceId: () => keyId }
  return write(context, writer, name, async (tx): Promise<ErrorKey | Refusal> => {
    const project = await lockErrorProject(tx, writer.accountId, id)
    const keys = project === null ? [] : await findErrorKeys(tx, writer.accountId, id)
    const key = keys.find((each) => each.id === keyId)
    if (project === null || key === undefined) return refuse('SV-3001')
    const { publicUrl } = context.rules
    if (key.revokedAtMs !== null) return describeErrorKey(key, project, publicUrl)
    if (keys.filter(({ revokedAtMs }) => revokedAtMs === null).length === 1) {
      return refuse('SV-3002', {
        message: "This is the project's last key. Create another key first, or delete the project.",
      })
    }
    const revoked = { ...key, revokedAtMs: context.now() }
    await updateErrorKeyRevoked(tx, keyId, revoked.revokedAtMs)
    return describeErrorKey(revoked, project, publicUrl)
  })
}

/** A stored key of an error project. */
type ErrorKeyRecord = {
  id: string
  accountId: string
  projectId: string
  /** 32 hexadecimal digits, unique among all projects. */
  publicKey: string
  createdAtMs: number
  revokedAtMs: number | null
}

/** A key with its DSN. */
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
