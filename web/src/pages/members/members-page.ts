import {
  invitationDays,
  type Invitation,
  type Member,
  type MemberList,
} from '@probe-mesh/contracts/account/members'
import { html, type Html } from '@probe-mesh/runtime/html'
import { z } from 'zod'
import { card } from '../../html/components/card.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { exactTime, named, time } from '../../html/measures.ts'
import { copyable } from '../keys/client-section.ts'
import { dutiesText, type dutiesOf } from './on-call-duties.ts'

export const membersPath = '/dashboard/members'
export const invitationsPath = `${membersPath}/invitations`

/** The members of the account, its open invitations, and the form for another one. */
export const membersPage = ({ members, invitations, sendsMail }: MemberList, form: FormState): Html => html`
  ${memberRows(members)}
  ${
    invitations.length > 0 &&
    card({ id: 'invitations', title: 'Open invitations' }, invitationRows(invitations, sendsMail))
  }
  ${card(
    { id: 'invite', title: 'Invite a member' },
    html`${problemSummary(form, ['email'])}
      <form method="post" action="${invitationsPath}">
        <div class="fields">
          ${textField(form, {
            name: 'email',
            label: 'E-mail address',
            type: 'email',
            autocomplete: 'off',
            isRequired: true,
            hint: sendsMail
              ? `We mail a link that works once, within ${invitationDays} days.`
              : `This server sends no mail. You get a link to pass on, which works once, within ${invitationDays} days.`,
          })}
        </div>
        <p class="actions">
          <button class="primary" type="submit">${sendsMail ? 'Send invitation' : 'Create link'}</button>
        </p>
      </form>`,
  )}
`

/** The heading of a value, where a phone shows a row as a card without headings. */
const inCard = (heading: string): Html => html`<span class="in-card">${heading} </span>`

const memberRows = (members: readonly Member[]): Html =>
  rowsTable(
    'Members',
    [
      {
        heading: 'Member',
        cell: ({ name, email, you }) =>
          html`<strong>${named(name ?? email)}</strong> ${you && tag({ tone: 'good', text: 'You' })}
            ${name !== null && html`<span class="target">${named(email)}</span>`}`,
      },
      { heading: 'Joined', cell: ({ joinedAt }) => html`${inCard('joined')}${time(joinedAt)}` },
      { heading: 'Last seen', cell: ({ lastSeenAt }) => html`${inCard('seen')}${time(lastSeenAt)}` },
      {
        heading: 'Actions',
        isActions: true,
        cell: ({ id, email, you }) =>
          members.length > 1 &&
          html`<a class="button" href="${membersPath}/${id}/remove" data-confirm
            >${you ? 'Leave' : 'Remove'}<span class="unseen"> ${you ? 'this account' : email}</span></a
          >`,
      },
    ],
    members,
  )

const invitationRows = (invitations: readonly Invitation[], sendsMail: boolean): Html =>
  rowsTable(
    'Open invitations, newest first',
    [
      { heading: 'Address', cell: ({ email }) => html`<strong>${named(email)}</strong>` },
      { heading: 'Invited by', cell: ({ invitedBy }) => html`${inCard('by')}${named(invitedBy)}` },
      { heading: 'Invited', cell: ({ createdAt }) => html`${inCard('invited')}${time(createdAt)}` },
      { heading: 'Expires', cell: ({ expiresAt }) => html`${inCard('expires')}${exactTime(expiresAt)}` },
      {
        heading: 'Actions',
        isActions: true,
        cell: ({ id, email }) =>
          html`<form method="post" action="${invitationsPath}">
              <input type="hidden" name="email" value="${email}" />
              <button type="submit">
                ${sendsMail ? 'Invite again' : 'New link'}<span class="unseen"> for ${email}</span>
              </button>
            </form>
            <a class="button" href="${invitationsPath}/${id}/revoke" data-confirm
              >Revoke<span class="unseen"> invitation of ${email}</span></a
            >`,
      },
    ],
    invitations,
  )

/** The link of an invitation, passed to the page that shows it. */
export const ShownLink = z.object({ email: z.string(), link: z.string() })

/** The only page that shows the link of an invitation, on a server without mail. */
export const linkPage = ({ email, link }: z.infer<typeof ShownLink>): Html => html`
  <p class="done" role="status">
    This server sends no mail, so <bdi>${email}</bdi> was not notified. Copy this link now and pass it on: it
    is shown only once.
  </p>
  ${copyable(link, 'the link')}
  <p class="muted">
    It works once, within ${invitationDays} days. Its holder becomes a member as this address.
  </p>
  <p class="actions"><a class="button primary" href="${membersPath}">Done</a></p>
`

export const revokePage = ({ id, email }: Invitation): Html =>
  html`<div data-dialog>
    <p>The link that <bdi>${email}</bdi> got stops working at once. You can invite the address again.</p>
    ${confirmForm({ action: `${invitationsPath}/${id}/revoke`, button: 'Revoke invitation', cancel: membersPath })}
  </div>`

/**
 * @param duties of the member, on call
 * @param isLast the account has no other member
 */
export const removePage = (
  { id, email, you }: Member,
  duties: ReturnType<typeof dutiesOf>,
  isLast: boolean,
): Html => {
  if (isLast)
    return html`<p>
        <bdi>${email}</bdi> is the only member, and the last member cannot be removed. Invite another member
        first.
      </p>
      <p class="actions"><a class="button" href="${membersPath}">Back to members</a></p>`
  return html`<div data-dialog>
    <p>
      ${
        you
          ? 'All your sessions end, and you lose access to this account. Only another member can invite you again.'
          : html`All sessions of <bdi>${email}</bdi> end at once.`
      }
      Entries in the audit log stay. API keys stay valid: revoke those that
      ${you ? 'you no longer need' : 'this member knows'}.
    </p>
    ${dutiesText(duties, you)}
    ${confirmForm({
      action: `${membersPath}/${id}/remove`,
      button: you ? 'Leave account' : 'Remove member',
      cancel: membersPath,
    })}
  </div>`
}
