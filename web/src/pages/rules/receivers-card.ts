import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import {
  checkField,
  radioField,
  selectField,
  type Choice,
  type FormState,
} from '../../html/components/form.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'

export type Named = { id: string; name: string }

/** Boxes of what has a name, in the order of the names. */
export const namedChoices = (all: readonly Named[]): Choice[] =>
  all.map(({ id, name }) => ({ value: id, label: name })).toSorted((a, b) => (a.label < b.label ? -1 : 1))

/** All of a kind, or the ticked ones: a rule names its checks, projects and channels so. */
export const scopeFields = (
  form: FormState,
  scope: {
    /** The radio buttons are `channels`, the boxes `channelIds`. */
    kind: 'check' | 'project' | 'channel'
    label: string
    /** null: all. */
    ids: readonly string[] | null
    ticked: readonly string[]
    choices: readonly Choice[]
    /** Stands before and after the boxes. */
    before?: Piece
    after?: Piece
  },
): Html => {
  const many = `${scope.kind}s`
  return html`${radioField(form, {
    name: many,
    label: scope.label,
    fallback: scope.ids === null ? 'all' : 'some',
    choices: [
      { value: 'all', label: `All ${many}, including future ones` },
      { value: 'some', label: `Selected ${many}` },
    ],
  })}
  ${scope.before ?? null}
  ${choicesField(form, {
    name: `${scope.kind}Ids`,
    label: `Selected ${many}`,
    choices: scope.choices,
    ticked: new Set(scope.ticked),
  })}
  ${scope.after ?? null}`
}

/** Whom a rule notifies. */
export const receiversCard = (
  form: FormState,
  rule: { channelIds: readonly string[] | null; fallbackChannelId?: string | null; emailUsers: boolean },
  { ticked, channels }: { ticked: readonly string[]; channels: readonly Named[] },
): Html =>
  card(
    { id: 'receivers', title: 'Channels' },
    html`${channels.length === 0 && html`<p class="warned">No channels yet. <a href="/dashboard/channels/new">Add a channel</a>, or turn on e-mail below.</p>`}
      <div class="fields">
        ${scopeFields(form, {
          kind: 'channel',
          label: 'Send to',
          ids: rule.channelIds,
          ticked,
          choices: namedChoices(channels),
        })}
        ${
          rule.fallbackChannelId !== undefined &&
          selectField(form, {
            name: 'fallbackChannelId',
            label: 'If a channel fails, send to',
            choices: [{ value: '', label: 'No other channel' }, ...namedChoices(channels)],
            fallback: rule.fallbackChannelId ?? '',
          })
        }
        ${checkField(form, {
          name: 'emailUsers',
          label: 'Also e-mail every user of the account',
          fallback: rule.emailUsers,
        })}
      </div>`,
  )
