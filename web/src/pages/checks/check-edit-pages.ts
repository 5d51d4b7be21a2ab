import { assertionNames } from '@probe-mesh/contracts/assertions'
import type { Assertions } from '@probe-mesh/contracts/assertions'
import type { Check } from '@probe-mesh/contracts/check'
import { longTextField, problemSummary, selectField, textField } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'

type Edited = Pick<Check, 'id' | 'regions' | 'allRegions'> & Assertions

/** Where a check is measured from. The API says which regions are live where one is not. */
export const regionsPage = ({ id, regions, allRegions }: Edited, form: FormState): Html => html`
  <p>
    ${allRegions ? 'It is measured from every live region, also from those that come later. Naming fewer ends that.' : 'It is measured from the regions below.'}
    What you save replaces the whole list: a region that is left out is not measured from any more.
    What it has measured stays in the history.
  </p>
  ${problemSummary(form, ['regions'])}
  <form method="post" action="/dashboard/checks/${id}/regions">
    <div class="fields">
      ${textField(form, {
        name: 'regions',
        label: 'Regions',
        hint: 'Codes of three letters, with commas between them, such as fra, iad.',
        fallback: regions.join(', '),
        isRequired: true,
      })}
    </div>
    ${saveOr(id, 'Replace the regions')}
  </form>
`

/** What an answer must be like. Everything is in the form, since everything is replaced. */
export const assertionsPage = (check: Edited, form: FormState): Html => {
  const current = (name: keyof Assertions): string => {
    const value = check[name]
    return value === null ? '' : String(value)
  }
  const op = (name: keyof Assertions, label: string, values: readonly string[]): Html =>
    selectField(form, {
      name,
      label,
      fallback: current(name),
      choices: [
        { value: '', label: 'not asserted' },
        ...values.map((value) => ({ value, label: value.replace('_', ' ') })),
      ],
    })
  const text = (name: keyof Assertions, label: string, hint?: string): Html =>
    textField(form, {
      name,
      label,
      fallback: current(name),
      ...(hint !== undefined && { hint }),
    })
  // a field of one line would lose the line breaks of a value that has some
  const lines = (name: keyof Assertions, label: string): Html =>
    longTextField(form, { name, label, rows: 2, fallback: current(name) })
  return html`
    <p>
      What you save replaces every assertion: a field that is empty asserts nothing any more. Values
      are literal text, never patterns.
    </p>
    ${problemSummary(form, assertionNames)}
    <form method="post" action="/dashboard/checks/${check.id}/assertions">
      <div class="fields">
        ${text('assertionStatusMin', 'Status code from', 'Where neither is given, 200 to 299 is asserted.')}
        ${text('assertionStatusMax', 'Status code to')}
        ${op('assertionBodyOp', 'The body', ['contains', 'not_contains'])}
        ${lines('assertionBodyValue', 'This text in the body')}
        ${selectField(form, {
          name: 'assertionBodyCaseSensitive',
          label: 'Capitals in the body',
          fallback: current('assertionBodyCaseSensitive'),
          choices: [
            { value: '', label: 'do not matter (not set)' },
            { value: 'true', label: 'must be the same' },
            { value: 'false', label: 'do not matter' },
          ],
        })}
        ${text('assertionJsonPath', 'JSON path', 'Such as $.status or $.items[0].name; no wildcards and no filters.')}
        ${op('assertionJsonOp', 'The value at the path', ['equals', 'contains', 'exists'])}
        ${lines('assertionJsonValue', 'This value')}
      </div>
      ${saveOr(check.id, 'Replace the assertions')}
    </form>
  `
}

const saveOr = (id: string, text: string): Html =>
  html`<p class="actions">
    <button class="primary" type="submit">${text}</button>
    <a href="/dashboard/checks/${id}">Change nothing</a>
  </p>`
