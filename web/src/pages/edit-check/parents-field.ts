import { parentsMax } from '@probe-mesh/contracts/check/check-parents'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Ask, Asked } from '../../api/ask.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import type { FormState } from '../../html/components/form.ts'
import { askCheckBoxes, checkSearch, type CheckBoxes } from '../rules/check-boxes.ts'

/** The checks that a check can depend on, and those that are ticked. */
export type ParentChoices = { boxes: CheckBoxes; ticked: readonly string[]; text: string }

/** The ticked parents of a submitted form; null if the form does not have the field. */
export const parentsIn = (form: URLSearchParams): readonly string[] | null =>
  form.has('parents') ? form.getAll('parentIds') : null

export const askParentChoices = async (
  ask: Ask,
  checkId: string,
  { ticked, text }: { ticked: readonly string[]; text: string },
): Promise<Asked<ParentChoices>> => {
  const boxes = await askCheckBoxes(ask, { text, ticked })
  if (!boxes.ok) return boxes
  const choices = boxes.value.choices.filter(({ value }) => value !== checkId)
  return { ok: true, value: { boxes: { ...boxes.value, choices }, ticked, text } }
}

/** Chooses the checks that a check depends on, with a search where there are many. */
export const parentsField = (
  form: Pick<FormState, 'problems'>,
  { boxes, ticked, text }: ParentChoices,
  path: string,
): Html => html`
  <input type="hidden" name="parents" value="shown" />
  ${checkSearch(boxes, { text, path })}
  ${choicesField(form, {
    name: 'parentIds',
    label: 'Depends on',
    hint: `While one of these checks is down, its message names this check, and this check sends no message of its own. At most ${parentsMax}.`,
    choices: boxes.choices,
    ticked: new Set(ticked),
  })}
`
