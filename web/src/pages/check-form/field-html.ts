import {
  checkField,
  longTextField,
  selectField,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Field } from '../../html/components/field.ts'

/** @param field.name the name in the form; for a step, with its step */
export const fieldHtml = (form: FormState, field: Field): Html =>
  field.isShort === true ? html`<div class="short">${controlOf(form, field)}</div>` : controlOf(form, field)

const controlOf = (form: FormState, field: Field): Html => {
  switch (field.kind) {
    case 'text':
      return field.rows === undefined
        ? textField(form, field.isUrl === true ? { ...field, inputMode: 'url' } : field)
        : longTextField(form, field)
    case 'number':
      return textField(form, { ...field, inputMode: 'numeric' })
    case 'choice':
      return selectField(form, field)
    case 'lines':
    case 'headers':
      return longTextField(form, field)
    case 'flag': {
      const { name, label, hint } = field
      return checkField(form, hint === undefined ? { name, label } : { name, label, hint })
    }
  }
}
