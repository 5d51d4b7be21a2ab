import { exchangeLimits } from '@probe-mesh/contracts/reading/exchange'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { spellingsOf, type Spelling } from './spellings.ts'

/**
 * Replaces secrets in a text of a target, in every form that it may have given them.
 * @param isCut whether the text was cut, which may have left a beginning of one at its end; default: no. In a whole text
 * such a beginning stays: it is a word of the target, and hiding it would confirm a guess
 */
export type Mask = (text: string, isCut?: boolean) => string

/** A value that no text may show, and what is shown instead. */
export type Hidden = { value: string; shown: string }

export const maskNothing: Mask = (text) => text

/** Where a form of a value is in the original text. */
type Found = { from: number; to: number; shown: string }

/** One form of a value. In base64 its first and last characters may belong to its neighbours as well. */
type Form = { needle: string; shown: string; sharesFirst: boolean; sharesLast: boolean }

/** The shortest beginning of a form that counts at the end of a text, where a cut may have left it. */
const cutMin = 4

/**
 * Masks the values as plain text, base64 and base64url at any offset, hex, and each of these with the escapes of
 * JSON, URLs and HTML, in any case, also without the spaces around them, which HTTP removes.
 */
export const createMask = (hidden: readonly Hidden[]): Mask => {
  const values = hidden
    .flatMap((each) => [each, { ...each, value: each.value.trim() }])
    .filter(({ value }, at, all) => value !== '' && all.findIndex((one) => one.value === value) === at)
  if (values.length === 0) return maskNothing
  let forms: { plain: Form[]; base64: Form[] } | null = null
  return (text, isCut = false) => {
    forms ??= { plain: values.flatMap(plainForms), base64: values.flatMap(base64Forms) }
    const found: Found[] = []
    for (const spelling of spellingsOf(text)) {
      search(asPlain(spelling), forms.plain, { length: text.length, isCut }, found)
      search(asBase64(spelling), forms.base64, { length: text.length, isCut }, found)
    }
    return found.length === 0 ? text : replaced(text, found)
  }
}

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
/** Of latin1, each character is one again: what is equal stays equal, and in place. */
const lower = (bytes: string): string => bytes.toLowerCase()

/** `+` is a space in forms. */
const asPlain = (spelling: Spelling): Spelling => ({
  ...spelling,
  bytes: lower(spelling.bytes).replaceAll('+', ' '),
})

/** Both alphabets as one, without line breaks. */
const asBase64 = ({ bytes, from, to }: Spelling): Spelling => {
  const one = lower(bytes).replaceAll('-', '+').replaceAll(' ', '+').replaceAll('_', '/')
  if (!/[\r\n]/.test(one)) return { bytes: one, from, to }
  const kept = [...one].flatMap((each, at) => (each === '\r' || each === '\n' ? [] : [at]))
  return {
    bytes: kept.map((at) => one[at]).join(''),
    from: kept.map((at) => from[at] ?? 0),
    to: kept.map((at) => to[at] ?? 0),
  }
}

/** The value as a target may write it before it encodes the whole. */
const written = (value: string): string[] => {
  const escaped = JSON.stringify(value).slice(1, -1)
  return [...new Set([value, escaped, encodeURIComponent(value.toWellFormed())])]
}

const windows1252 = new TextDecoder('windows-1252')

const plainForms = ({ value, shown }: Hidden): Form[] => {
  const bytes = Buffer.from(value, 'utf8')
  // a body in UTF-8 whose charset says otherwise
  const misread = [value, bytes.toString('latin1'), windows1252.decode(bytes)]
  const hex = written(value).map((each) => Buffer.from(each, 'utf8').toString('hex'))
  const needles = [...misread.map((each) => lower(utf8(each)).replaceAll('+', ' ')), ...hex]
  return [...new Set(needles)].map((needle) => ({ needle, shown, sharesFirst: false, sharesLast: false }))
}

/** The characters of base64 that depend on the value alone, at its three offsets in what is encoded. */
const base64Forms = ({ value, shown }: Hidden): Form[] =>
  written(value).flatMap((each) =>
    [0, 1, 2].map((offset) => {
      const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(each, 'utf8')])
      const [first, end] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)]
      return {
        needle: lower(bytes.toString('base64').slice(first, end)),
        shown,
        sharesFirst: offset > 0,
        sharesLast: bytes.length % 3 > 0,
      }
    }),
  )

const search = (
  { bytes, from, to }: Spelling,
  forms: readonly Form[],
  { length, isCut }: { length: number; isCut: boolean },
  found: Found[],
): void => {
  for (const { needle, shown, sharesFirst, sharesLast } of forms) {
    const firstOf = (at: number): number => from[sharesFirst && isBase64(bytes[at - 1]) ? at - 1 : at] ?? 0
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
      const end = at + needle.length
      found.push({
        from: firstOf(at),
        to: to[sharesLast && isBase64(bytes[end]) ? end : end - 1] ?? length,
        shown,
      })
    }
    const start = isCut ? cutStart(bytes, needle) : null
    if (start !== null) found.push({ from: firstOf(start), to: length, shown })
  }
}

const isBase64 = (character: string | undefined): boolean => /^[a-z0-9+/]$/.test(character ?? '')

/** Where the text ends in a beginning of a form; null: nowhere. */
const cutStart = (bytes: string, needle: string): number | null => {
  const begin = needle.slice(0, cutMin)
  let at = bytes.indexOf(begin, Math.max(0, bytes.length - needle.length + 1))
  while (at !== -1) {
    if (needle.startsWith(bytes.slice(at))) return at
    at = bytes.indexOf(begin, at + 1)
  }
  return null
}

const replaced = (text: string, found: Found[]): string => {
  const sorted = found.toSorted((one, other) => one.from - other.from || other.to - one.to)
  let masked = ''
  let done = 0
  for (const { from, to, shown } of sorted) {
    if (to <= done) continue
    if (from >= done) masked += `${text.slice(done, from)}${shown}`
    done = to
  }
  return `${masked}${text.slice(done)}`
}

/** The lengths to which texts of a target are cut, shortest first. Longer than a body: the excerpt of a trial. */
const cutLengths = [
  exchangeLimits.headerNameCharacters,
  exchangeLimits.headerValueCharacters,
  limits.reasonCharactersMax,
  exchangeLimits.urlCharacters,
  exchangeLimits.bodyCharacters,
  limits.excerptBytesMax,
]
const mayBeCut = (length: number): boolean =>
  length > exchangeLimits.bodyCharacters ||
  cutLengths.some((limit) => length === limit || length === limit - 1)

/** How long a masked text may become: it then fits wherever one of this length does. */
const roomOf = (length: number): number =>
  Math.max(
    length,
    cutLengths.find((limit) => limit >= Math.max(length, exchangeLimits.headerValueCharacters)) ?? length,
  )

/** Members of a reading with words of the agent, which a secret may happen to be. */
const ownWords: ReadonlySet<string> = new Set([
  'address',
  'answer',
  'cdn',
  'controls',
  'method',
  'resolvedTo',
  'resolver',
  'traceId',
  'type',
  'unchecked',
])

/** The same for every text of a target inside a value of JSON. */
export const maskWithin = <T>(value: T, mask: Mask): T =>
  mask === maskNothing ? value : (maskedValue(value, mask) as T)

const maskedValue = (value: unknown, mask: Mask): unknown => {
  if (typeof value === 'string') {
    const masked = mask(value, mayBeCut(value.length))
    const room = roomOf(value.length)
    return (masked.length > room ? `${masked.slice(0, room - 1)}…` : masked).toWellFormed()
  }
  if (Array.isArray(value)) return value.map((each) => maskedValue(each, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, ownWords.has(key) ? each : maskedValue(each, mask)]),
  )
}
