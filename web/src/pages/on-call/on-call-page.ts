import type { EscalationPolicy } from '@probe-mesh/contracts/on-call/escalation-policy'
import type { Schedule, Shift } from '@probe-mesh/contracts/on-call/schedule'
import { turnNotes, type TurnNote } from '@probe-mesh/contracts/on-call/turn-shares'
import { card, emptyState, facts } from '../../html/components/card.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { exactTime, named } from '../../html/measures.ts'
import { tag } from '../../html/components/tag.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { zonedText } from '../../html/local-time.ts'
import { copyable } from '../keys/client-section.ts'
import type { People } from './schedule-form.ts'

const path = '/dashboard/on-call'

/** A member, or a warning that no one is on call. */
const whoText = (userId: string | null, people: People): Piece => {
  if (userId === null) return tag({ tone: 'uncertain', text: 'No one is on call' })
  const found = people.find(({ id }) => id === userId)
  return found === undefined
    ? tag({ tone: 'uncertain', text: 'A removed member: no one is on call' })
    : named(found.name ?? found.email)
}

/** Schedules with who is on call now, and escalation policies. */
export const onCallPage = (
  schedules: readonly Schedule[],
  policies: readonly EscalationPolicy[],
  people: People,
): Html => html`
  ${card(
    {
      id: 'schedules',
      title: 'Schedules',
      actions: html`<a class="button" href="${path}/schedules/new">New schedule</a>`,
    },
    schedules.length === 0
      ? emptyState({ icon: 'calendar', title: 'No schedule yet', text: 'Members take turns by a schedule.' })
      : rowsTable(
          'On-call schedules',
          [
            { heading: 'Schedule', cell: ({ id, name }) => html`<a href="${path}/${id}">${named(name)}</a>` },
            { heading: 'On call now', cell: ({ now }) => whoText(now.userId, people) },
            {
              heading: 'How long',
              cell: ({ now }) =>
                now.until === null ? 'no change ahead' : html`until ${exactTime(now.until)}`,
            },
            { heading: 'Time zone', cell: ({ timeZone }) => timeZone },
          ],
          schedules,
        ),
  )}
  ${card(
    {
      id: 'policies',
      title: 'Escalation policies',
      actions: html`<a class="button" href="${path}/policies/new">New policy</a>`,
    },
    policies.length === 0
      ? emptyState({
          icon: 'alert',
          title: 'No policy yet',
          text: 'A policy says who is notified next while an alert is not acknowledged. Alert rules name it.',
        })
      : rowsTable(
          'Escalation policies',
          [
            {
              heading: 'Policy',
              cell: ({ id, name }) => html`<a href="${path}/policies/${id}">${named(name)}</a>`,
            },
            {
              heading: 'Levels',
              cell: ({ levels }) => `at ${levels.map(({ afterMinutes }) => afterMinutes).join(', ')} min`,
            },
            {
              heading: 'Repeats',
              cell: ({ repeats }) =>
                repeats === 0 ? 'not repeated' : `${repeats} ${repeats === 1 ? 'repeat' : 'repeats'}`,
            },
          ],
          policies,
        ),
  )}
`

/** What the owner of a schedule should know of its turns (S-1971). */
const turnsCard = (notes: readonly TurnNote[], people: People): Piece =>
  notes.length > 0 &&
  card(
    { id: 'turns', title: 'Turns' },
    html`<ul>
      ${notes.map((note) => html`<li>Layer ${note.layer + 1}: ${noteText(note, people)}</li>`)}
    </ul>`,
  )

const noteText = (note: TurnNote, people: People): Piece => {
  switch (note.kind) {
    case 'covered':
      return 'later layers are on call at all of its times, so none of its members is.'
    case 'never':
      return html`${note.userIds.map((id) => html`${whoText(id, people)} `)}never on call: turns and days
      repeat every ${note.cycleDays} days. Count the days on call only, or change the length of a turn.`
    case 'unequal':
      return html`turns are not equal. In ${note.cycleDays} days:
      ${note.hours.map(({ userId, hours }) => html`${whoText(userId, people)} ${hours} h; `)}`
    default:
      return note satisfies never
  }
}

/** One schedule: who is on call, four weeks of shifts, and its calendar address. */
export const schedulePage = (
  { id, timeZone, now, feedUrl, layers }: Schedule,
  shifts: readonly Shift[],
  people: People,
  form: Html,
): Html => html`
  ${card(
    { id: 'now', title: 'On call now' },
    facts([
      ['Member', whoText(now.userId, people)],
      [
        'Until',
        now.until === null ? 'further notice' : `${zonedText(Date.parse(now.until), timeZone)} (${timeZone})`,
      ],
    ]),
  )}
  ${turnsCard(turnNotes(layers, Date.parse(shifts[0]?.from ?? '')), people)}
  ${card(
    { id: 'calendar', title: 'Next four weeks', about: `Times in ${timeZone}.` },
    rowsTable(
      'Shifts',
      [
        { heading: 'Member', cell: ({ userId }) => whoText(userId, people) },
        { heading: 'From', cell: ({ from }) => zonedText(Date.parse(from), timeZone) },
        { heading: 'To', cell: ({ to }) => zonedText(Date.parse(to), timeZone) },
      ],
      shifts,
    ),
  )}
  ${card(
    { id: 'feed', title: 'Calendar feed', about: 'For calendar programs. The address is secret.' },
    html`${copyable(feedUrl, 'the address of the calendar')}
      <p class="actions">
        <a class="button" href="${path}/${id}/calendar-address" data-confirm>Replace address</a>
      </p>`,
  )}
  ${form}
  <p class="actions"><a class="button danger" href="${path}/${id}/delete" data-confirm>Delete schedule</a></p>
`
