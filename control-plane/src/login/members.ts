import type { Invitation, MemberList } from '@probe-mesh/contracts/account/members'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { failPendingMails } from '../notifications/deliveries-store.ts'
import { deleteInvitation, findInvitations, type InvitationRecord } from './invitations-store.ts'
import { countMembers, deleteMember, findMembers } from './members-store.ts'

/** The members of the account, the oldest first, and its open invitations, the newest first. */
export const listMembers = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { userId, sendsMail }: { userId: string; sendsMail: boolean },
): Promise<MemberList> => {
  const [members, invitations] = await inAccount(sql, accountId, (tx) =>
    Promise.all([findMembers(tx, accountId), findInvitations(tx, accountId, now())]),
  )
  return {
    members: members.map(({ id, name, email, createdAtMs, lastSeenAtMs }) => ({
      id,
      name,
      email,
      you: id === userId,
      joinedAt: new Date(createdAtMs).toISOString(),
      lastSeenAt: lastSeenAtMs === null ? null : new Date(lastSeenAtMs).toISOString(),
    })),
    invitations: invitations.map(describeInvitation),
    sendsMail,
  }
}

/** An invitation as members see it. */
export const describeInvitation = (invitation: InvitationRecord): Invitation => ({
  id: invitation.id,
  email: invitation.email,
  invitedBy: invitation.invitedBy,
  createdAt: new Date(invitation.createdAtMs).toISOString(),
  expiresAt: new Date(invitation.expiresAtMs).toISOString(),
})

/** Revokes an open invitation: its link stops working at once. */
export const revokeInvitation = async (
  context: AccountContext,
  caller: Caller,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; revoked: true } | Refusal> => {
  const name = {
    action: 'revokeInvitation',
    resourceType: 'member_invitation',
    resourceId: (email: string) => email,
  }
  const revoked = await write(
    context,
    caller,
    name,
    async (tx) => (await deleteInvitation(tx, caller.accountId, id)) ?? refuse('SV-3001'),
  )
  return typeof revoked === 'string' ? { id, revoked: true } : revoked
}

/**
 * Removes a member, who may be the caller. All sessions of the member end at once, live streams included, and no
 * alert is mailed to the member any more. The last member stays: SV-3002. Audit entries keep the member's address.
 */
export const removeMember = async (
  context: AccountContext,
  caller: Caller,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; removed: true } | Refusal> => {
  const { accountId } = caller
  const name = { action: 'removeMember', resourceType: 'member', resourceId: (email: string) => email }
  const removed = await write(context, caller, name, async (tx): Promise<string | Refusal> => {
    await lockAccount(tx, accountId)
    const email = await deleteMember(tx, accountId, id)
    if (email === null) return refuse('SV-3001')
    await failPendingMails(tx, { accountId, email }, 'not sent: the member was removed')
    // a refusal rolls the deletion back
    return (await countMembers(tx, accountId)) === 0 ? lastMember : email
  })
  return typeof removed === 'string' ? { id, removed: true } : removed
}

const lastMember = refuse('SV-3002', {
  message: 'The last member cannot be removed. Invite another member first.',
})
