import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Statement } from './engine.ts'
import { FacadeException } from './exception.ts'

/** Ends a query whose client disconnected, because chDB cannot cancel one. */
const executionSecondsMax = 60
/** Results are complete in memory before they are sent. */
const resultBytesMax = 256 * 1024 * 1024

/** Settings in which chDB differs from a server, and bounds. Settings of the request override them. */
const defaultSettings: readonly (readonly [string, string])[] = [
  ['implicit_select', '0'],
  ['allow_introspection_functions', '0'],
  ['max_execution_time', String(executionSecondsMax)],
  ['max_result_bytes', String(resultBytesMax)],
  ['result_overflow_mode', 'throw'],
]

/** Parameters of the HTTP interface that are not settings. */
const ownParameters = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'client_protocol_version',
  'buffer_size',
  'wait_end_of_query',
  'close_session',
  'stacktrace',
])
/** Unsupported parameters that would change the meaning of a statement. */
const unsupported = new Set(['session_id', 'session_timeout', 'session_check', 'role'])

/** Whether the request has the right user and password, as Basic or in ClickHouse's headers. */
export const isAuthorized = (
  headers: IncomingHttpHeaders,
  account: { user: string; password: string },
): boolean => {
  const given = credentials(headers)
  if (given === null) return false
  // constant time: both are compared as digests
  const user = timingSafeEqual(digest(given.user), digest(account.user))
  const password = timingSafeEqual(digest(given.password), digest(account.password))
  return user && password
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const credentials = (headers: IncomingHttpHeaders): { user: string; password: string } | null => {
  const user = headers['x-clickhouse-user']
  const key = headers['x-clickhouse-key']
  if (typeof user === 'string' && typeof key === 'string') return { user, password: key }
  const basic = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return null
  const text = Buffer.from(basic, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The body of a request: bytes, and the fields of a multipart form. */
export type RequestBody = {
  readonly bytes: Uint8Array
  readonly fields: ReadonlyMap<string, string>
}

/**
 * Parses a request to the HTTP interface. The query is in the URL, in the body, or in both (an insert and its
 * data); everything else in the URL is a parameter or a setting.
 * @throws FacadeException for unsupported parameters
 */
export const parseStatement = (
  url: URLSearchParams,
  headers: IncomingHttpHeaders,
  body: RequestBody,
): Statement => {
  const settings = new Map(defaultSettings)
  const parameters = new Map<string, string>()
  for (const [name, value] of [...url, ...body.fields]) {
    if (unsupported.has(name) || ((name === 'compress' || name === 'decompress') && value === '1')) {
      throw new FacadeException(48, 'NOT_IMPLEMENTED', `The embedded ClickHouse has no ${name}`)
    }
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value)
    else if (!ownParameters.has(name) && !/^(?:de)?compress$/.test(name)) settings.set(name, value)
  }
  const query = Buffer.from((body.fields.get('query') ?? url.get('query') ?? '').trimEnd())
  const [text, data] = query.length > 0 ? [query, body.bytes] : [body.bytes, new Uint8Array()]
  const kind = isInsert(text) ? 'insert' : 'other'
  if (kind === 'other') refuseSecondStatement(Buffer.concat([text, data]))
  else refuseBlankLine(text, data)
  const database = headers['x-clickhouse-database']
  return {
    database: url.get('database') ?? (typeof database === 'string' ? database : 'default'),
    settings,
    parameters,
    format: formatName(url.get('default_format') ?? headers['x-clickhouse-format']),
    text,
    data,
    kind,
  }
}

const formatName = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9]+$/.test(given) ? given : 'TabSeparated'

const refuseSecondStatement = (sql: Uint8Array): void => {
  if (sql.length === 0) throw new FacadeException(62, 'SYNTAX_ERROR', 'Syntax error: Empty query')
  if (!hasSecondStatement(Buffer.from(sql).toString())) return
  throw new FacadeException(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)')
}

/** The first word that tells what an insert takes: a query, literals, or data in a format. */
const source = /\b(?:select\b|values\b|format\s+\w)/i

/**
 * chDB ends data in a format at a blank line, also within binary data, acknowledges what came before, and runs
 * the rest as a statement.
 */
const refuseBlankLine = (text: Uint8Array, data: Uint8Array): void => {
  const named = source.exec(startOf(text))
  if (named === null || !/^format/i.test(named[0])) return
  if (!viewOf(text).includes('\n\n', named.index) && !viewOf(data).includes('\n\n')) return
  throw new FacadeException(
    48,
    'NOT_IMPLEMENTED',
    'The embedded ClickHouse takes no blank line (two line breaks) in the data of an insert. Send JSON rows without one',
  )
}

/** Blanks and comments before the first word of a statement or after the last. */
const blank = /(?:\s|--[^\n]*(?:\n|$)|#[ !][^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y
/** Comments, strings and quoted names, whose content is skipped. */
const opaque =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\[\s\S])*"/y

const startCharactersMax = 65_536

/**
 * Whether a statement is an insert, whose rows may follow it as bytes.
 * @param text the statement, possibly with its data in any bytes
 */
export const isInsert = (text: Uint8Array): boolean => {
  const start = startOf(text)
  return /^insert\b/i.test(start.slice(blankEnd(start, 0)))
}

/** The same bytes, not copied. */
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

const startOf = (text: Uint8Array): string =>
  Buffer.from(text.subarray(0, startCharactersMax)).toString('latin1')

/** Whether a second statement follows a semicolon. A server refuses that over HTTP. */
export const hasSecondStatement = (sql: string): boolean => {
  let at = 0
  while (at < sql.length) {
    opaque.lastIndex = at
    if (opaque.test(sql)) at = opaque.lastIndex
    else if (sql[at] !== ';') at += 1
    else return blankEnd(sql, at + 1) < sql.length
  }
  return false
}

const blankEnd = (text: string, from: number): number => {
  blank.lastIndex = from
  blank.test(text)
  return blank.lastIndex
}
