import { epochMs } from '../stores/postgres/epoch-ms.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

export type InvitationRecord = {
  id: string
  accountId: string
  email: string
  /** The address of the member who invited. */
  invitedBy: string
  /** The link was mailed to the address, and shown to no one else. */
  mailed: boolean
  createdAtMs: number
  expiresAtMs: number
}

const invitationColumns = (db: Connection) => db`
  invitations.id, invitations.account_id as "accountId", invitations.email,
  invitations.invited_by as "invitedBy", invitations.mailed,
  ${epochMs(db, 'invitations.created_at')} as "createdAtMs",
  ${epochMs(db, 'invitations.expires_at')} as "expiresAtMs"`

/** Stores an invitation in place of the former one of its address. @param tokenHash the sha-256 of the link's token */
export const replaceInvitation = async (
  tx: Transaction,
  invitation: InvitationRecord,
  tokenHash: Uint8Array,
): Promise<void> => {
  const { id, accountId, email, invitedBy, mailed, createdAtMs, expiresAtMs } = invitation
  await tx`delete from invitations where account_id = ${accountId} and lower(email) = lower(${email})`
  await tx`
    insert into invitations (id, account_id, email, token_hash, invited_by, mailed, created_at, expires_at)
    values (${id}, ${accountId}, ${email}, ${tokenHash}, ${invitedBy}, ${mailed}, ${new Date(createdAtMs)},
      ${new Date(expiresAtMs)})`
}

/** The open invitations of an account, the newest first. */
export const findInvitations = async (
  db: Connection,
  accountId: string,
  nowMs: number,
): Promise<InvitationRecord[]> =>
  await db<InvitationRecord[]>`
    select ${invitationColumns(db)} from invitations
    where account_id = ${accountId} and expires_at > ${new Date(nowMs)}
    order by created_at desc, id desc`

/** @returns the invited address, or null if the account has no such invitation */
export const deleteInvitation = async (
  db: Connection,
  accountId: string,
  id: string,
): Promise<string | null> => {
  const [row] = await db<{ email: string }[]>`
    delete from invitations where account_id = ${accountId} and id = ${id} returning email`
  return row?.email ?? null
}

/** A valid invitation with its account; null for any other token. The invitation is not consumed. */
export const findInvitationOfToken = async (
  db: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<(InvitationRecord & { accountName: string; isSuspended: boolean }) | null> => {
  const [row] = await db<(InvitationRecord & { accountName: string; isSuspended: boolean })[]>`
    select ${invitationColumns(db)}, accounts.name as "accountName",
      accounts.suspended_at is not null as "isSuspended"
    from invitations join accounts on accounts.id = invitations.account_id
    where token_hash = ${tokenHash} and expires_at > ${new Date(nowMs)}`
  return row ?? null
}

/** @returns false if another request consumed, replaced or revoked the invitation, or if it expired */
export const consumeInvitation = async (
  tx: Transaction,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<boolean> => {
  const { count } = await tx`
    delete from invitations where token_hash = ${tokenHash} and expires_at > ${new Date(nowMs)}`
  return count > 0
}
