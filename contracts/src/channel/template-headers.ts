import { z } from 'zod'

/** Headers of an owner's template: one `Name: value` a line. */
export type TemplateHeader = { name: string; value: string }

const headersMax = 10
const nameCharactersMax = 100
const valueCharactersMax = 1_000
const headersCharactersMax = headersMax * (nameCharactersMax + valueCharactersMax)

/** Headers that belong to the connection, to the body, or to what every message carries. */
const refused = new Set([
  'accept-encoding',
  'host',
  'cookie',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
])
const refusedStarts = ['proxy-', 'webhook-']

/** The headers of a text without problems, with lower-case names. Empty lines are skipped. */
export const parseHeaders = (text: string): TemplateHeader[] => linesOf(text).map(headerOf)

/** Every problem, as ends of sentences about the headers. No message repeats a value. */
export const headerProblems = (text: string): string[] => {
  const headers = parseHeaders(text)
  const names = headers.map(({ name }) => name)
  const repeated = names.filter((name, at) => name !== '' && names.indexOf(name) !== at)
  return [
    ...(headers.length > headersMax ? [`must have at most ${headersMax} lines`] : []),
    ...headers.flatMap(problemOf),
    ...[...new Set(repeated)].map((name) => `must have ${name} once`),
  ]
}

/** Headers as people type them, with every problem. */
export const HeaderLines = z
  .string()
  .max(headersCharactersMax)
  .superRefine((text, context) => {
    for (const message of headerProblems(text)) context.addIssue({ code: 'custom', message })
  })

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '')

const headerOf = (line: string): TemplateHeader => {
  const colon = line.indexOf(':')
  if (colon < 0) return { name: '', value: '' }
  return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() }
}

const problemOf = ({ name, value }: TemplateHeader, at: number): string[] => {
  const line = `line ${at + 1}`
  if (name.length > nameCharactersMax || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) {
    return [`${line} must be a name, a colon and a value, such as Authorization: Bearer …`]
  }
  if (refused.has(name) || refusedStarts.some((start) => name.startsWith(start))) {
    return [`${line}: ${name} cannot be set`]
  }
  if (value.length > valueCharactersMax || !/^[\t\x20-\x7e]+$/.test(value)) {
    return [`${line}: the value must be 1 to ${valueCharactersMax} visible ASCII characters`]
  }
  return []
}
