import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import {
  notesCharactersMax,
  type CheckNotes,
  type CheckNotesChange,
} from '@probe-mesh/contracts/check/check-notes'
import type { Member } from '@probe-mesh/contracts/account/members'
import { html, type Html } from '@probe-mesh/runtime/html'
import {
  longTextField,
  problemsOf,
  selectField,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'

const names = ['runbookUrl', 'notes', 'ownerId'] as const

/** The fields of a form that show what is noted about a check. */
export const typedOfNotes = ({ runbookUrl, notes, owner }: CheckNotes): Typed => ({
  runbookUrl: runbookUrl ?? '',
  notes,
  ownerId: owner?.id ?? '',
})

/** The change in a submitted form; nothing if the form does not have the fields. */
export const notesIn = (form: URLSearchParams): CheckNotesChange =>
  form.has('notes')
    ? {
        runbookUrl: form.get('runbookUrl')?.trim() || null,
        notes: form.get('notes') ?? '',
        ownerId: form.get('ownerId') || null,
      }
    : {}

export const hasNotes = (form: FormState): boolean =>
  names.some((name) => (form.typed[name] ?? '') !== '' || problemsOf(form, name).length > 0)

/** What people know about a check: for its page and its alerts. */
export const notesFields = (form: FormState, members: readonly Member[]): Html => html`
  ${textField(form, {
    name: 'runbookUrl',
    label: 'Runbook',
    type: 'url',
    hint: 'A link to what to do when it fails. Alerts show it.',
  })}
  ${selectField(form, {
    name: 'ownerId',
    label: 'Owner',
    hint: 'Alerts name the owner. Alert rules decide who receives them.',
    choices: [
      { value: '', label: 'No owner' },
      ...members.map(({ id, name, email }) => ({ value: id, label: name ?? email })),
    ],
  })}
  ${longTextField(form, {
    name: 'notes',
    label: 'Notes',
    hint: `Plain text for members, up to ${inFigures(notesCharactersMax)} characters. Not in alerts.`,
  })}
`
