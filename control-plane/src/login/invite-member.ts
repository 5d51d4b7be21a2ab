import { invitationRule, mailRule } from '@probe-mesh/contracts/account/login-rules'
import {
  invitationDays,
  membersMax,
  openInvitationsMax,
  type CreatedInvitation,
  type InviteMemberInput,
} from '@probe-mesh/contracts/account/members'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import type { MailMessage } from '../notifications/mail/mail.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { frameMail } from '../subscribers/mail-frame.ts'
import { plainName } from '../subscribers/plain-name.ts'
import type { LoginContext } from './context.ts'
import { makeToken, tokenHash } from './token.ts'
import { findUserByEmail } from './users-store.ts'
import { findInvitations, replaceInvitation, type InvitationRecord } from './invitations-store.ts'
import { describeInvitation } from './members.ts'
import { countMembers } from './members-store.ts'

const validMs = invitationDays * 86_400_000

/**
 * The mail with an invitation. Its reader may not know the account, so names that the account chose are plain
 * text without links.
 */
const invitationMail = (
  { accountName, invitedBy }: { accountName: string; invitedBy: string },
  url: string,
): MailMessage => {
  const subject = `Join "${plainName(accountName, 'an account')}" on Probe Mesh`
  return {
    subject,
    isPrivate: true,
    ...frameMail({
      language: 'en',
      heading: subject,
      body: `${invitedBy} invites you. Open the link to choose a name and a password. It works once, within ${invitationDays} days.`,
      link: { label: 'Accept invitation', url },
      footer: 'If you did not expect this mail, ignore it. No user was created.',
    }),
  }
}

/**
 * Invites an address, which gets a link by mail that works once, within 7 days. A former invitation of the
 * address stops working. Without a mail server the answer has the link. SV-3002 for a member and beyond the
 * limits, SV-6005 after too many mails. An address with a user of another account gets the mail too, so that an
 * invitation does not reveal who has an account; its link says why it cannot be accepted.
 */
export const inviteMember = async (
  { account: context, login }: { account: AccountContext; login: LoginContext },
  caller: Caller,
  invitedBy: string,
  { email }: InviteMemberInput,
): Promise<CreatedInvitation | Refusal> => {
  const { sendsMail, throttle, publicUrl } = login
  const mails = [
    { text: `mail an invitation to ${email.toLowerCase()}`, rule: mailRule },
    { text: `invite from ${caller.accountId}`, rule: invitationRule },
  ]
  const tooMany = sendsMail ? await throttle.count(mails) : null
  if (tooMany !== null) return { ...tooMany, message: tooManyMails }
  const { accountId } = caller
  const nowMs = context.now()
  const [id, token] = [uuidv7(nowMs), makeToken()]
  const expiresAtMs = nowMs + validMs
  const invitation: InvitationRecord = {
    id,
    accountId,
    email,
    invitedBy,
    mailed: sendsMail,
    createdAtMs: nowMs,
    expiresAtMs,
  }
  const url = `${publicUrl}/invitation?token=${token}`
  const name = { action: 'inviteMember', resourceType: 'member_invitation', resourceId: () => email }
  const invited = await write(context, caller, name, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account === null) return refuse('SV-3001')
    if ((await findUserByEmail(tx, email)) !== null) return refuseEmail('is a member already')
    if ((await countMembers(tx, accountId)) >= membersMax) return manyMembers
    const open = await findInvitations(tx, accountId, nowMs)
    const others = open.filter((each) => each.email.toLowerCase() !== email.toLowerCase())
    if (others.length >= openInvitationsMax) return manyInvitations
    await replaceInvitation(tx, invitation, tokenHash(token))
    if (sendsMail) {
      const message = invitationMail({ accountName: account.name, invitedBy }, url)
      const mail = { accountId, recipient: email, cause: `invitation ${id}`, message, expiresAtMs }
      await insertDeliveries(tx, [{ kind: 'mail', ...mail }], nowMs)
    }
    return { invitation: describeInvitation(invitation), link: sendsMail ? null : url }
  })
  if (sendsMail && isRefusal(invited)) await throttle.uncount(mails)
  return invited
}

export const manyMembers = refuse('SV-3002', {
  message: `The limit of ${membersMax} members is reached. Remove a member first.`,
})

const manyInvitations = refuse('SV-3002', {
  message: `The limit of ${openInvitationsMax} open invitations is reached. Revoke one first.`,
})

const refuseEmail = (message: string): Refusal =>
  refuse('SV-3002', { message: `This address ${message}.`, errors: [{ path: 'email', message }] })

const tooManyMails = 'Too many invitations were mailed. Retry after the seconds in Retry-After.'
