import { MIMEType } from 'node:util'
import { encodingOf, prescan, xmlEncoding } from './prescan.ts'

/** How the bytes of a body become text. */
export type Charset = {
  /** For `TextDecoder`. */
  encoding: string
  /** False: nothing names it, and UTF-8 is tried. */
  isDeclared: boolean
}

/**
 * The charset of a body, as browsers decide (WHATWG HTML, encoding sniffing algorithm; RFC 7303 3 for XML): byte order
 * mark, then the content type, then what the first 1,024 bytes of HTML or XML declare, or a longer head. JSON and plain text declare
 * nothing. No charset is guessed from the language of a text.
 * @param contentType absent: the bytes show whether they are HTML
 */
export const charsetOf = (bytes: Buffer, contentType: string | undefined): Charset => {
  const type = parse(contentType)
  const found =
    byMark(bytes) ?? encodingOf(type?.params.get('charset') ?? '') ?? declaredIn(bytes, type?.essence)
  return { encoding: found ?? 'utf-8', isDeclared: found !== null }
}

const parse = (contentType: string | undefined): MIMEType | null => {
  if (contentType === undefined) return null
  try {
    return new MIMEType(contentType)
  } catch {
    return null
  }
}

const byMark = (bytes: Buffer): string | null => {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : null
}

const prescannedBytes = 1_024
const headBytesMax = 16_384

/**
 * The bytes that may declare a charset, each as a character: the first 1,024, and the rest of a longer head, since a
 * browser that meets a declaration there starts again with it.
 */
const startOf = (bytes: Buffer): string => {
  const start = bytes.toString('latin1', 0, headBytesMax)
  const headEnd = start.search(/<\/head|<body/i)
  return headEnd === -1 ? start : start.slice(0, Math.max(headEnd, prescannedBytes))
}

const declaredIn = (bytes: Buffer, essence: string | undefined): string | null => {
  const start = startOf(bytes)
  if (essence === 'text/html') return prescan(start)
  if (essence !== undefined && /^(?:text|application)\/xml$|\+xml$/.test(essence)) return xmlEncoding(start)
  const isUnknown = essence === undefined || unknownTypes.has(essence)
  return isUnknown && looksLikeMarkup.test(start) ? prescan(start) : null
}

/** WHATWG MIME Sniffing 7: types that say nothing, and the first tag of what is HTML then. */
const unknownTypes: ReadonlySet<string> = new Set(['unknown/unknown', 'application/unknown', '*/*'])
const looksLikeMarkup =
  /^[\t\n\f\r ]{0,1024}<(?:(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\t\n\f\r >]|!--|\?xml)/i
