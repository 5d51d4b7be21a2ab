import { isRecord, own } from '../raw/record.ts'

/** Texts of a list that SDKs keep short: a fingerprint's parts. */
const linesMax = 100

/**
 * A text as stores can hold it: neither U+0000, which Postgres refuses, nor half a surrogate pair.
 * Numbers and booleans are texts too, since SDKs send them; undefined for anything else.
 */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return undefined
  return value.replaceAll('\0', '').toWellFormed()
}

/** A list as SDKs write one: itself, or as `{values: [...]}`, or one object alone. */
export const valuesOf = (value: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value as unknown[]
  if (!isRecord(value)) return undefined
  const values = own(value, 'values')
  if (values === undefined) return [value]
  if (values === null) return []
  return Array.isArray(values) ? (values as unknown[]) : undefined
}

const levels: Readonly<Record<string, string>> = {
  fatal: 'fatal',
  critical: 'fatal',
  error: 'error',
  warning: 'warning',
  warn: 'warning',
  info: 'info',
  log: 'info',
  debug: 'debug',
}

export const levelOf = (value: unknown): string | undefined =>
  typeof value === 'string' && Object.hasOwn(levels, value.toLowerCase())
    ? levels[value.toLowerCase()]
    : undefined

/** A message: a text, or what it is made of. */
export const messageOf = (value: unknown): { message: string; template: string | null } | undefined => {
  const text = textOf(value)
  if (text !== undefined) return { message: text, template: null }
  if (!isRecord(value)) return undefined
  const template = textOf(own(value, 'message'))
  const formatted = textOf(own(value, 'formatted'))
  const params = own(value, 'params')
  if (formatted !== undefined) return { message: formatted, template: template ?? null }
  if (template === undefined) return undefined
  const filled = Array.isArray(params) ? fill(template, params as unknown[]) : template
  return { message: filled, template }
}

/** Puts parameters where a template of Python's or JavaScript's console has a place for them. */
const fill = (template: string, params: readonly unknown[]): string => {
  let next = 0
  return template.replaceAll(/%[sdifoOr]/g, (place) =>
    next < params.length ? (textOf(params[next++]) ?? place) : place,
  )
}

/** A list of texts; undefined for what is no list, or is empty. */
export const linesOf = (value: unknown): string[] | undefined => {
  if (!Array.isArray(value)) return undefined
  const lines = (value as unknown[]).slice(0, linesMax).map((each) => textOf(each) ?? '')
  return lines.length === 0 ? undefined : lines
}

/** Tags as an object or as pairs. One that is no text is left out. */
export const tagsOf = (value: unknown): Record<string, string> | undefined => {
  const pairs: unknown[] | undefined = Array.isArray(value)
    ? (value as unknown[])
    : isRecord(value)
      ? Object.entries(value)
      : undefined
  if (pairs === undefined) return undefined
  const read = pairs.flatMap((pair): [string, string][] => {
    if (!Array.isArray(pair)) return []
    const [key, text] = [textOf(pair[0]), textOf(pair[1])]
    return key === undefined || key === '' || text === undefined ? [] : [[key, text]]
  })
  // `fromEntries` makes a key `__proto__` a key like any other
  return Object.fromEntries(read)
}
