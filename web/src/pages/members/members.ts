import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { dutiesOf } from './on-call-duties.ts'
import {
  invitationsPath,
  linkPage,
  membersPage,
  membersPath,
  removePage,
  revokePage,
  ShownLink,
} from './members-page.ts'

const area = 'members'
/** Shows a link once; a reload redirects to the list. */
const linkPath = `${membersPath}/invited`

const list = async (ask: Ask, form: FormState, status = 200): Promise<Outcome> => {
  const answer = await ask('listMembers', {})
  if (!answer.ok) return refused(answer)
  const about = 'People who log in to this account. Every member may do everything.'
  return { kind: 'page', title: 'Members', area, about, status, main: membersPage(answer.value, form) }
}

/** Members: listed, invited by mail or by a link, removed after a confirmation. */
export const memberRoutes: readonly MemberRoute[] = [
  get(membersPath, ({ ask }) => list(ask, emptyForm)),
  post(invitationsPath, async ({ ask, form }) => {
    const email = form.get('email') ?? ''
    const answer = await ask('inviteMember', { body: { email } })
    if (!answer.ok) return list(ask, refusedForm({ email }, answer.problem), answer.problem.status)
    const { link } = answer.value
    return link === null
      ? { kind: 'elsewhere', path: membersPath, done: 'member-invited' }
      : { kind: 'elsewhere', path: linkPath, note: { email, link } }
  }),
  get(linkPath, async ({ recallNote }) => {
    const shown = recallNote(ShownLink)
    if (shown === null) return { kind: 'elsewhere', path: membersPath }
    return { kind: 'page', title: 'Invitation created', area, main: linkPage(shown) }
  }),
  get(`${invitationsPath}/:id/revoke`, async ({ ask, params }) => {
    const answer = await ask('listMembers', {})
    if (!answer.ok) return refused(answer)
    const invitation = answer.value.invitations.find(({ id }) => id === params['id'])
    if (invitation === undefined) return { kind: 'elsewhere', path: membersPath }
    return { kind: 'page', title: 'Revoke this invitation?', area, main: revokePage(invitation) }
  }),
  post(`${invitationsPath}/:id/revoke`, async ({ ask, params }) => {
    const answer = await ask('revokeInvitation', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path: membersPath, done: 'invitation-revoked' } : refused(answer)
  }),
  get(`${membersPath}/:id/remove`, async ({ ask, params }) => {
    const answer = await ask('listMembers', {})
    if (!answer.ok) return refused(answer)
    const { members } = answer.value
    const [schedules, policies] = await Promise.all([
      ask('listSchedules', {}),
      ask('listEscalationPolicies', {}),
    ])
    if (!schedules.ok) return refused(schedules)
    if (!policies.ok) return refused(policies)
    const member = members.find(({ id }) => id === params['id'])
    if (member === undefined) return { kind: 'elsewhere', path: membersPath }
    const title = member.you ? 'Leave this account?' : `Remove ${member.name ?? member.email}?`
    const duties = dutiesOf(member.id, { ...schedules.value, ...policies.value }, Date.now())
    return { kind: 'page', title, area, main: removePage(member, duties, members.length === 1) }
  }),
  post(`${membersPath}/:id/remove`, async ({ ask, who, params }) => {
    const id = params['id'] ?? ''
    const answer = await ask('removeMember', { params: { id } })
    if (!answer.ok) return refused(answer)
    return id === who.user.id
      ? { kind: 'elsewhere', path: '/login' }
      : { kind: 'elsewhere', path: membersPath, done: 'member-removed' }
  }),
]
