import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Email, Instant, Line } from '../schema/text.ts'
import { NewPassword, Token } from './session.ts'

export const membersMax = 50
export const openInvitationsMax = 20
/** How long an invitation is valid. */
export const invitationDays = 7

/** A user of an account, for its members. */
export const Member = z.object({
  id: z.string(),
  /** null: the member has never chosen a name. */
  name: z.string().nullable(),
  email: z.string(),
  /** Whether it is the user of this request. */
  you: z.boolean(),
  joinedAt: Instant,
  /** null: no session or known browser of the member exists. */
  lastSeenAt: Instant.nullable(),
})
export type Member = z.infer<typeof Member>

/** An open invitation, without its token. */
export const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  /** The address of the member who invited. */
  invitedBy: z.string(),
  createdAt: Instant,
  expiresAt: Instant,
})
export type Invitation = z.infer<typeof Invitation>

export const MemberList = z.object({
  members: z.array(Member),
  invitations: z.array(Invitation),
  /** Whether this server mails invitations. */
  sendsMail: z.boolean(),
})
export type MemberList = z.infer<typeof MemberList>

export const InviteMemberInput = z.strictObject({ email: Email })
export type InviteMemberInput = z.infer<typeof InviteMemberInput>

export const CreatedInvitation = z.object({
  invitation: Invitation,
  /** The link, on a server without mail only: it is shown once. null: it was mailed. */
  link: z.string().nullable(),
})
export type CreatedInvitation = z.infer<typeof CreatedInvitation>

export const MemberParams = z.object({ id: Uuid })

export const ReadInvitationInput = z.strictObject({ token: Token })
export type ReadInvitationInput = z.infer<typeof ReadInvitationInput>

/** An invitation, for the holder of its link. */
export const ReadInvitation = z.object({
  accountName: z.string(),
  email: z.string(),
  invitedBy: z.string(),
})
export type ReadInvitation = z.infer<typeof ReadInvitation>

export const AcceptInvitationInput = z.strictObject({ token: Token, name: Line, password: NewPassword })
export type AcceptInvitationInput = z.infer<typeof AcceptInvitationInput>
