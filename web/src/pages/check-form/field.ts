import type { Choice, Typed } from '../../html/components/form.ts'

/**
 * A field of a form. Its name is the API's path of what it holds, such as `settings.expect.op`, so that
 * a problem finds its field and the body is made of the names alone.
 */
export type Field = {
  name: string
  label: string
  hint?: string
  isRequired?: true
  /** Two of them stand in one row. */
  isShort?: true
  /** An address: phones show the keyboard for it. */
  isUrl?: true
} & (
  | {
      kind: 'text'
      rows?: number
      lineBreak?: '\r\n'
      /** Where the field of that name says one of these, what is empty is the empty text. */
      emptyWith?: { name: string; values: readonly string[] }
    }
  | { kind: 'number' }
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'lines' }
  | { kind: 'flag' }
)

export type Values = { [key: string]: unknown }

/**
 * What was typed, as the API takes it: what is empty is absent, unless it is required, so that the API
 * says what is missing, or means the empty text. A number that is none goes as the text that it is, for the API to refuse. Pure.
 */
export const valuesOf = (fields: readonly Field[], typed: Typed): Values => {
  const values: Values = {}
  for (const field of fields) {
    const value = valueOf(field, typed)
    if (value !== undefined) place(values, field.name.split('.'), value)
  }
  return values
}

const valueOf = (field: Field, typed: Typed): unknown => {
  const text = typed[field.name] ?? ''
  switch (field.kind) {
    case 'text':
      // browsers send every line break as CR LF
      if (text === '' && field.isRequired !== true && !isEmptyText(field, typed)) return undefined
      return text.replace(/\r?\n/g, field.lineBreak ?? '\n')
    case 'number':
      if (text.trim() === '') return undefined
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
    case 'choice':
      return text === '' ? undefined : text
    case 'lines': {
      const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
      return lines.length === 0 ? undefined : lines
    }
    case 'flag':
      return text === '' ? undefined : true
  }
}

const isEmptyText = ({ emptyWith }: Field & { kind: 'text' }, typed: Typed): boolean =>
  emptyWith !== undefined && emptyWith.values.includes(typed[emptyWith.name] ?? '')

const place = (values: Values, [first = '', ...rest]: string[], value: unknown): void => {
  if (rest.length === 0) {
    values[first] = value
    return
  }
  const inner = (values[first] ?? {}) as Values
  values[first] = inner
  place(inner, rest, value)
}

/** The way back: what a check holds, as it stands in the fields. Pure. */
export const textsOf = (fields: readonly Field[], values: unknown): Typed =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const text = textOf(name.split('.').reduce(within, values))
      return text === null ? [] : [[name, text]]
    }),
  )

const within = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Values)[key] : undefined

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null || value === false) return null
  if (value === true) return 'on'
  return Array.isArray(value) ? value.join('\n') : String(value)
}
