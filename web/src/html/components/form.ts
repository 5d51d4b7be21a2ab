import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'
import { wordsOf } from './label-problems.ts'

/** Submitted values by field; an absent field was empty. */
export type Typed = Readonly<Record<string, string | undefined>>

/** The state of a form: the values of its fields, and its problems. */
export type FormState = {
  typed: Typed
  /** The API's message, if it refused without naming a field. */
  message: string | null
  problems: readonly FieldProblem[]
}

export const emptyForm: FormState = { typed: {}, message: null, problems: [] }

/** Whether an API path such as `regions[1]` or `config.url` belongs to this field. */
const isOf = (name: string, path: string): boolean =>
  path === name || path.startsWith(`${name}[`) || path.startsWith(`${name}.`)

/** The problems of one field. */
export const problemsOf = (
  { problems }: Pick<FormState, 'problems'>,
  name: string,
): readonly FieldProblem[] => problems.filter(({ path }) => isOf(name, path))

export const idOf = (name: string): string => `field-${name.replace(/\W/g, '-')}`

/** All problems, before the fields, each with a link to its field (WCAG 2.2, 3.3.1). */
export const problemSummary = ({ message, problems }: FormState, names: readonly string[]): Html | null => {
  if (message === null && problems.length === 0) return null
  const items = problems.map(({ path, message }) => {
    const name = names.find((name) => isOf(name, path))
    if (name === undefined) return html`<li>${path === '' ? '' : `${wordsOf(path)}: `}${message}</li>`
    const said = html`${nameOf(name)}${partOf(path.slice(name.length))}: ${message}`
    return html`<li><a href="#${idOf(name)}">${said}</a></li>`
  })
  return html`<div class="problems" role="alert">
    <p>${message ?? 'This was not saved. What you typed is kept.'}</p>
    ${
      items.length > 0 &&
      html`<ul>
        ${items}
      </ul>`
    }
  </div>`
}

/** A field by its label (label-problems.ts). A field of a row, such as links[0].url, also by its row. */
const nameOf = (name: string): Html => {
  const [, row, number, own = name] = /^(\w+)\[(\d+)\]\.(.+)$/.exec(name) ?? []
  const before = row === undefined ? '' : `${wordsOf(row)} ${Number(number) + 1}, `
  return html`${before}<span data-label-of="${idOf(name)}">${wordsOf(own)}</span>`
}

/** The part of a field that is wrong, counted from one: `[1]` is the second. */
const partOf = (rest: string): string => {
  const [, number, inner = ''] = /^\[(\d+)\](.*)$/.exec(rest) ?? [null, null, rest]
  const words = wordsOf(inner).toLowerCase()
  return `${number === null ? '' : ` ${Number(number) + 1}`}${words === '' ? '' : `, ${words}`}`
}

type Common = {
  name: string
  label: string
  hint?: Html | string
  isRequired?: boolean
}

/** A field with its label, its hint and its problems. */
const framed = (
  { name, label, hint }: Common,
  form: FormState,
  control: (attributes: Html) => Html,
): Html => {
  const id = idOf(name)
  const own = problemsOf(form, name)
  const described = [hint !== undefined && `${id}-hint`, own.length > 0 && `${id}-problem`]
    .filter((each) => each !== false)
    .join(' ')
  const attributes = html` id="${id}"
  name="${name}"${attribute('aria-describedby', described || null)}${attribute('aria-invalid', own.length > 0 ? 'true' : null)}`
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${control(attributes)}
    ${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </div> `
}

/** @param field.type of the input, such as `email`; `fallback` is shown before anything is typed */
export const textField = (
  form: FormState,
  field: Common & {
    type?: string
    autocomplete?: string
    fallback?: string
    inputMode?: string
  },
): Html =>
  framed(field, form, (attributes) => {
    // a password is never sent back
    const value = field.type === 'password' ? null : (form.typed[field.name] ?? field.fallback)
    return html`<input${attributes}
      type="${field.type ?? 'text'}"
      ${attribute('value', value ?? null)}${attribute('autocomplete', field.autocomplete ?? null)}${attribute('inputmode', field.inputMode ?? null)}${flag('required', field.isRequired === true)}
    >`
  })

export const longTextField = (form: FormState, field: Common & { rows?: number; fallback?: string }): Html =>
  framed(
    field,
    form,
    (attributes) =>
      html`<textarea${attributes} rows="${field.rows ?? 4}"${flag('required', field.isRequired === true)}>
${form.typed[field.name] ?? field.fallback ?? ''}</textarea>`,
  )

export type Choice = { value: string; label: string }

export const selectField = (
  form: FormState,
  field: Common & { choices: readonly Choice[]; fallback?: string },
): Html => {
  const chosen = form.typed[field.name] ?? field.fallback
  return framed(
    field,
    form,
    (attributes) =>
      html`<select${attributes}>${field.choices.map(
        ({ value, label }) =>
          html`<option value="${value}" ${flag('selected', value === chosen)}>${label}</option>`,
      )}</select>`,
  )
}

/** A group of radio buttons. */
export const radioField = (
  form: FormState,
  field: Common & { choices: readonly Choice[]; fallback?: string },
): Html => {
  const id = idOf(field.name)
  const chosen = form.typed[field.name] ?? field.fallback
  const own = problemsOf(form, field.name)
  return html`<fieldset id="${id}" ${attribute('aria-describedby', own.length > 0 ? `${id}-problem` : null)}>
    <legend>${field.label}</legend>
    ${field.hint !== undefined && html`<p class="hint">${field.hint}</p>`}
    ${field.choices.map(
      ({ value, label }) =>
        html`<p class="choice">
          <label
            ><input
              type="radio"
              name="${field.name}"
              value="${value}"
              ${flag('checked', value === chosen)}
            />${label}</label
          >
        </p> `,
    )}${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </fieldset> `
}

/** One checkbox; its value is `on` if it is ticked. */
export const checkField = (
  form: FormState,
  field: Omit<Common, 'isRequired'> & { fallback?: boolean },
): Html => {
  const id = idOf(field.name)
  const own = problemsOf(form, field.name)
  const described = [field.hint !== undefined && `${id}-hint`, own.length > 0 && `${id}-problem`]
    .filter((each) => each !== false)
    .join(' ')
  const isTicked =
    Object.keys(form.typed).length === 0 ? field.fallback === true : form.typed[field.name] !== undefined
  return html`<p class="choice">
      <input
        type="checkbox"
        id="${id}"
        name="${field.name}"
        ${flag('checked', isTicked)}${attribute('aria-describedby', described || null)}${attribute('aria-invalid', own.length > 0 ? 'true' : null)}
      /><label for="${id}">${field.label}</label>
    </p>
    ${field.hint !== undefined && html`<p class="hint" id="${id}-hint">${field.hint}</p>`}
    ${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}`
}
