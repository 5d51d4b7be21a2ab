import { isRecord, own } from '../raw/record.ts'

/** The most parts of a fingerprint. */
const linesMax = 100

/**
 * A text without characters that databases reject: U+0000 and lone surrogates. Accepts numbers and booleans,
 * which some SDKs send; undefined for anything else.
 */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return undefined
  return value.replaceAll('\0', '').toWellFormed()
}

/** A list in any form that SDKs send: a list, `{values: [...]}`, or a single object. */
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

/** A message from a text, or from a template with parameters. */
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

/** Inserts parameters into a template in the format of Python or the JavaScript console. */
const fill = (template: string, params: readonly unknown[]): string => {
  let next = 0
  return template.replaceAll(/%[sdifoOr]/g, (place) =>
    next < params.length ? (textOf(params[next++]) ?? place) : place,
  )
}

/** A list of texts; undefined for an empty list or another type. */
export const linesOf = (value: unknown): string[] | undefined => {
  if (!Array.isArray(value)) return undefined
  const lines = (value as unknown[]).slice(0, linesMax).map((each) => textOf(each) ?? '')
  return lines.length === 0 ? undefined : lines
}

/** Tags from an object or from pairs. Tags without a text are left out. */
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
  // `fromEntries` treats `__proto__` like any other key
  return Object.fromEntries(read)
}
