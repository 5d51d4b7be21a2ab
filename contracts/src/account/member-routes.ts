import { z } from 'zod'
import { read, write, type Route } from '../schema/route.ts'
import { CreatedInvitation, InviteMemberInput, MemberList, MemberParams } from './members.ts'

/** The dashboard routes of an account's members, below `/dashboard-api`. */
export const memberRoutes = {
  listMembers: read({
    path: '/members',
    summary: 'Members of the account and open invitations',
    output: MemberList,
  }),
  inviteMember: write({
    method: 'POST',
    path: '/invitations',
    summary: 'Invite an address to the account; replaces its former invitation',
    success: 201,
    body: InviteMemberInput,
    output: CreatedInvitation,
    secret: true,
    codes: ['SV-3002', 'SV-6005'],
  }),
  revokeInvitation: write({
    method: 'DELETE',
    path: '/invitations/:id',
    summary: 'Revoke an open invitation; its link stops working',
    params: MemberParams,
    output: z.object({ id: z.string(), revoked: z.literal(true) }),
  }),
  removeMember: write({
    method: 'DELETE',
    path: '/members/:id',
    summary: 'Remove a member; its sessions end',
    params: MemberParams,
    output: z.object({ id: z.string(), removed: z.literal(true) }),
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>
