import type { Field } from '../../html/components/field.ts'
import type { Typed } from '../../html/components/form.ts'

export type Values = { [key: string]: unknown }

/**
 * Submitted values as the API accepts them. An empty field is absent, unless it is required (the API then
 * reports it) or means the empty text. An invalid number stays text, for the API to refuse.
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
    case 'headers': {
      const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
      return lines.length === 0 ? undefined : lines.map(headerOf)
    }
    case 'flag':
      return text === '' ? undefined : true
  }
}

/** A line without a colon is a name without a value, which the API refuses. */
const headerOf = (line: string): Values => {
  const at = line.indexOf(':')
  return at < 0
    ? { name: line.trim(), value: '' }
    : { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }
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

/** The inverse: the values of a check as texts of the fields. */
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
  return Array.isArray(value) ? value.map(lineOf).join('\n') : String(value)
}

const lineOf = (part: unknown): string =>
  typeof part === 'object' && part !== null && 'name' in part && 'value' in part
    ? `${String(part.name)}: ${String(part.value)}`
    : String(part)
