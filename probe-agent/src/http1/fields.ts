import type { IncomingHttpHeaders } from 'node:http'
import type { FramingFields } from './framing.ts'

/** Header fields by lower-case name. */
export type Fields = IncomingHttpHeaders

/**
 * A field line without its end (RFC 9112 5): a token, a colon, and a value without control
 * characters.
 */
const fieldLine = /^[\w!#$%&'*+\-.^`|~]+:[\t\x20-\x7e\x80-\xff]*$/

/**
 * Values of these fields cannot be joined: the first one counts, as for `message.headers` in Node.
 */
const single: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])

/**
 * Parses one field line: its name in lower case and its trimmed value.
 * @param line as latin1, without CR LF
 * @returns null for an invalid or folded line (RFC 9112 5.2)
 */
export const parseField = (line: string): { name: string; value: string } | null => {
  if (!fieldLine.test(line)) return null
  const colon = line.indexOf(':')
  return { name: line.slice(0, colon).toLowerCase(), value: trimmed(line.slice(colon + 1)) }
}

/**
 * Adds a field as `message.headers` of `node:http` does: most are joined, cookies stay separate.
 */
export const addField = (fields: Fields, name: string, value: string): void => {
  if (name === 'set-cookie') {
    // in place: one response may set thousands
    if (fields['set-cookie'] === undefined) fields['set-cookie'] = [value]
    else fields['set-cookie'].push(value)
    return
  }
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (before === undefined) fields[name] = value
  else if (!single.has(name)) fields[name] = `${String(before)}${name === 'cookie' ? '; ' : ', '}${value}`
}

/** Appends to the last value: in RFC 9112 5.2 a user agent replaces a fold with a space. */
export const appendToField = (
  { fields, framing }: { fields: Fields; framing: FramingFields },
  name: string,
  more: string,
): void => {
  if (more === '') return
  const list = listOf(name, fields, framing)
  const last = list?.pop()
  if (last !== undefined) list?.push(joined(last, more))
  if (name !== 'set-cookie') fields[name] = joined(String(fields[name]), more)
}

/** A head may fold one value 100,000 times: trimming the whole each time would take quadratic time. */
const joined = (value: string, more: string): string => (value === '' ? more : `${value} ${more}`)

const listOf = (name: string, fields: Fields, framing: FramingFields): string[] | undefined => {
  if (name === 'set-cookie') return fields['set-cookie']
  if (name === 'content-length') return framing.contentLengths
  return name === 'transfer-encoding' ? framing.transferEncodings : undefined
}

/** Trims optional white space (RFC 9110 5.6.3), which is less than `trim` removes, in linear time. */
export const trimmed = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isSpace(value.charCodeAt(start))) start += 1
  while (end > start && isSpace(value.charCodeAt(end - 1))) end -= 1
  return value.slice(start, end)
}

/** Of RFC 9110 5.6.3. @param code of a UTF-16 unit */
export const isSpace = (code: number): boolean => code === 0x20 || code === 0x09
