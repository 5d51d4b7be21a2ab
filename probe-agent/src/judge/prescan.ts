import { TextDecoder } from 'node:util'

const labelCharactersMax = 40

/** The encoding of a label (WHATWG Encoding 4.2); null: no encoding, or one that only decodes to nothing. */
export const encodingOf = (label: string): string | null => {
  if (label === '' || label.length > labelCharactersMax) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/**
 * The encoding that the start of an HTML page declares (WHATWG HTML 13.2.3.2, "prescan a byte stream to determine its
 * encoding").
 * @param text the first bytes, each as one character
 */
export const prescan = (text: string): string | null => {
  if (text.startsWith('<\0?\0x\0')) return 'utf-16le'
  if (text.startsWith('\0<\0?\0x')) return 'utf-16be'
  return metaEncoding(text) ?? xmlEncoding(text)
}

/** The encoding of an XML declaration; null without one. */
export const xmlEncoding = (text: string): string | null => {
  const [declaration] = /^<\?xml[^>]*>/.exec(text) ?? []
  const label = declaration && /encoding\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(declaration)
  return label ? asDeclared(label[1] ?? label[2] ?? '') : null
}

/** A declaration that could be read in bytes is in neither of these. */
const asDeclared = (label: string): string | null => {
  const encoding = encodingOf(label)
  if (encoding === null) return null
  if (encoding.startsWith('utf-16')) return 'utf-8'
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding
}

/** Both declarations of a meta element have it. */
const mayDeclare = /charset/i

/** Where the text ends, nothing more is declared. */
const metaEncoding = (text: string): string | null => {
  if (!mayDeclare.test(text)) return null
  let at = 0
  while ((at = text.indexOf('<', at)) !== -1) {
    if (text.startsWith('<!--', at)) at = endOf(text, '-->', at + 2)
    else if (isMeta(text, at)) {
      const meta = readMeta(text, at + '<meta'.length)
      if (meta === null) return null
      if (meta.encoding !== null) return meta.encoding
      at = meta.end
    } else if (/^<\/?[a-z]/i.test(text.slice(at, at + 3))) {
      at = pastTag(text, at)
    } else if (/^<[!/?]/.test(text.slice(at, at + 2))) at = endOf(text, '>', at)
    else at += 1
    if (at === -1) return null
  }
  return null
}

const isMeta = (text: string, at: number): boolean => /^<meta[\t\n\f\r /]$/i.test(text.slice(at, at + 6))

/** After the mark; -1: it does not come. */
const endOf = (text: string, mark: string, from: number): number => {
  const found = text.indexOf(mark, from)
  return found === -1 ? -1 : found + mark.length
}

const pastTag = (text: string, from: number): number => {
  let at = matchFrom(/[^\t\n\f\r >]*/y, text, from)
  for (;;) {
    const attribute = readAttribute(text, at)
    if (attribute === null) return -1
    if (attribute.name === null) return attribute.end
    at = attribute.end
  }
}

/** @returns null where the text ends inside */
const readMeta = (text: string, from: number): { encoding: string | null; end: number } | null => {
  const seen = new Set<string>()
  let at = from
  let isPragma = false
  let found: { encoding: string | null; needsPragma: boolean } | null = null
  for (;;) {
    const attribute = readAttribute(text, at)
    if (attribute === null) return null
    const { name, value, end } = attribute
    at = end
    if (name === null) break
    if (seen.has(name)) continue
    seen.add(name)
    if (name === 'http-equiv') isPragma ||= value === 'content-type'
    else if (name === 'charset') found = { encoding: asDeclared(value), needsPragma: false }
    else if (name === 'content' && found === null) {
      const encoding = asDeclared(labelIn(value))
      if (encoding !== null) found = { encoding, needsPragma: true }
    }
  }
  const encoding = found === null || (found.needsPragma && !isPragma) ? null : found.encoding
  return { encoding, end: at }
}

/** The label in the content of a meta element: `text/html; charset=gbk`; empty: none. */
const labelIn = (content: string): string => {
  const found = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"'][^\s;]*))/.exec(content)
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? ''
}

type Attribute = { name: string | null; value: string; end: number }

const spaces = /[\t\n\f\r ]*/y

/** "Get an attribute". @returns null where the text ends inside; a name of null at the end of the tag */
const readAttribute = (text: string, from: number): Attribute | null => {
  const start = matchFrom(/[\t\n\f\r /]*/y, text, from)
  if (start >= text.length) return null
  if (text[start] === '>') return { name: null, value: '', end: start + 1 }
  const nameEnd = matchFrom(/[^\t\n\f\r />][^\t\n\f\r />=]*/y, text, start)
  const name = text.slice(start, nameEnd).toLowerCase()
  const equals = matchFrom(spaces, text, nameEnd)
  if (equals >= text.length) return null
  if (text[equals] !== '=') return { name, value: '', end: equals }
  const valueStart = matchFrom(spaces, text, equals + 1)
  const quote = text[valueStart]
  if (quote === undefined) return null
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, valueStart + 1)
    return close === -1
      ? null
      : { name, value: text.slice(valueStart + 1, close).toLowerCase(), end: close + 1 }
  }
  const end = matchFrom(/[^\t\n\f\r >]*/y, text, valueStart)
  return end >= text.length ? null : { name, value: text.slice(valueStart, end).toLowerCase(), end }
}

/** Where the match of a sticky expression ends. */
const matchFrom = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.exec(text) === null ? from : pattern.lastIndex
}
