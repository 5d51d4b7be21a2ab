import {
  addressConfirmationDays,
  addressesPerRuleMax,
  type AlertAddress,
  type AlertAddressState,
} from '@probe-mesh/contracts/alert/alert-address'
import type { Member } from '@probe-mesh/contracts/account/members'
import { html, type Html } from '@probe-mesh/runtime/html'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import { longTextField, type FormState } from '../../html/components/form.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { named, time } from '../../html/measures.ts'

/** Whom a rule can mail. */
export type People = {
  members: readonly Pick<Member, 'id' | 'name' | 'email'>[]
  addresses: readonly AlertAddress[]
  sendsMail: boolean
}

const memberLabel = ({ name, email }: Pick<Member, 'name' | 'email'>): string =>
  name === null ? email : `${name} (${email})`

/** Where pages say that no mail is sent. */
const noMailNote: Html = html`<p class="warned">
  This server sends no mail, so mail alerts stay off. The operator turns them on with SMTP_URL.
</p>`

/** The addresses of a form: one a line, or separated by commas. */
export const addressesIn = (text: string | null): string[] =>
  (text ?? '').split(/[\s,;]+/).filter((each) => each !== '')

/** Members and other addresses that a rule mails. */
export const peopleCard = (
  form: FormState,
  rule: { userIds: readonly string[]; addresses: readonly string[] },
  { members, sendsMail }: People,
): Html =>
  card(
    { id: 'people', title: 'People by e-mail' },
    html`${!sendsMail && noMailNote}
      <div class="fields">
        ${choicesField(form, {
          name: 'userIds',
          label: 'Members',
          choices: members.map((member) => ({ value: member.id, label: memberLabel(member) })),
          ticked: new Set(rule.userIds),
        })}
        ${longTextField(form, {
          name: 'addresses',
          label: 'Other addresses',
          hint: `Up to ${addressesPerRuleMax}, one on a line. Each gets a mail first, with a link that confirms it within ${addressConfirmationDays} days.`,
          rows: 3,
          fallback: rule.addresses.join('\n'),
        })}
      </div>`,
  )

const stateWords: Readonly<Record<AlertAddressState, Wording>> = {
  waiting: { tone: 'uncertain', text: 'Waiting for confirmation' },
  expired: { tone: 'bad', text: 'Link expired' },
  confirmed: { tone: 'good', text: 'Confirmed' },
  ended: { tone: 'silent', text: 'Unsubscribed' },
}

/** The confirmation of each address of a stored rule; nothing where it has none. */
export const addressesCard = (
  { id, addresses }: { id: string; addresses: readonly string[] },
  people: People,
): Html | null => {
  const names = new Set(addresses.map((address) => address.toLowerCase()))
  const own = people.addresses.filter(({ email }) => names.has(email.toLowerCase()))
  if (own.length === 0) return null
  return card(
    { id: 'addresses', title: 'Other addresses' },
    rowsTable(
      'Other addresses and their confirmation',
      [
        { heading: 'Address', cell: ({ email }) => html`<strong>${named(email)}</strong>` },
        { heading: 'State', cell: ({ state }) => tag(stateWords[state]) },
        { heading: 'Mail sent', cell: ({ askedAt }) => time(askedAt) },
        {
          heading: 'Actions',
          isActions: true,
          cell: (address) =>
            people.sendsMail &&
            address.state !== 'confirmed' &&
            html`<form method="post" action="/dashboard/rules/${id}/addresses/${address.id}/ask">
              <button type="submit">Send again<span class="unseen"> to ${address.email}</span></button>
              ${address.state === 'ended' && html`<span class="muted">This person unsubscribed. Send again only if they ask for it.</span>`}
            </form>`,
        },
      ],
      own,
    ),
  )
}

/** Who gets the mails of a rule, in words; null: no one. */
export const mailedText = (
  {
    emailUsers,
    userIds,
    addresses,
  }: { emailUsers: boolean; userIds: readonly string[]; addresses: readonly string[] },
  people: People,
): Html | null => {
  const members = people.members.filter(({ id }) => userIds.includes(id))
  const states = addresses.map((address) => stateOf(address, people))
  const ended = states.filter((state) => state === 'ended').length
  const waiting = states.filter((state) => state !== 'confirmed').length - ended
  const unreached = [
    ...(waiting > 0 ? [`${waiting} not confirmed`] : []),
    ...(ended > 0 ? [`${ended} unsubscribed`] : []),
  ]
  const names = [
    ...(emailUsers ? [html`every user by e-mail`] : members.map(({ name, email }) => named(name ?? email))),
    ...addresses.map((address) => named(address)),
  ]
  if (names.length === 0) return null
  const shown = names.slice(0, namesMax)
  const more = names.length - shown.length
  return html`${shown.map((name, index) => [index > 0 && ', ', name])}${more > 0 && ` and ${more} more`}${
    unreached.length > 0 && html` <span class="muted">(${unreached.join(', ')})</span>`
  }`
}

const namesMax = 3

const stateOf = (address: string, { addresses }: People): AlertAddressState | undefined =>
  addresses.find(({ email }) => email.toLowerCase() === address.toLowerCase())?.state

/** Whether mails of a rule reach anyone. */
export const mailsAnyone = (
  { emailUsers, userIds, addresses }: Parameters<typeof mailedText>[0],
  people: People,
): boolean =>
  people.sendsMail &&
  (emailUsers ||
    people.members.some(({ id }) => userIds.includes(id)) ||
    addresses.some((address) => stateOf(address, people) === 'confirmed'))
