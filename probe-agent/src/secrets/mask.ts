import { spellingsOf, type Spelling } from './spellings.ts'

/** Replaces secrets in texts of a target, in every form that it may have given them. */
export type Mask = {
  /** A whole text. A beginning of a secret stays: it is a word of the target, and hiding it would confirm a guess. */
  whole(text: string): string
  /**
   * Masks a text, then cuts it. A cut may leave the beginning of a secret, and only its caller knows of it: what
   * follows the place where the longest secret could begin is left out, whatever it says.
   * @param charactersMax of what is returned
   * @param isCut whether the text was cut already; default: no
   */
  cut(text: string, charactersMax: number, isCut?: boolean): string
}

/** A value that no text may show, and what is shown instead. */
export type Hidden = { value: string; shown: string }

export const maskNothing: Mask = {
  whole: (text) => text,
  cut: (text, charactersMax) => text.slice(0, charactersMax).toWellFormed(),
}

/** Where a form of a value is in the original text. */
type Found = { from: number; to: number; shown: string }

/** One form of a value. In base64 its first and last characters may belong to its neighbours as well. */
type Form = { needle: string; shown: string; sharesFirst: boolean; sharesLast: boolean }

/** How far a text is read beyond its cut, so that a secret across the cut is still whole. */
export const aheadCharactersMax = 8_192
/** Characters of a text for each of the longest form: an escape has up to six. */
const aheadShare = 6
/** The longest form counts in steps, so that what is left out does not tell the length of a secret. */
const longestStep = 64

/**
 * Masks the values as plain text, base64 and base64url at any offset, hex, and each of these with the escapes of
 * JSON, URLs and HTML, in any case, also without the spaces around them, which HTTP removes.
 */
export const createMask = (hidden: readonly Hidden[]): Mask => {
  const values = hidden
    .flatMap((each) => [each, { ...each, value: each.value.trim() }])
    .filter(({ value }, at, all) => value !== '' && all.findIndex((one) => one.value === value) === at)
  if (values.length === 0) return maskNothing
  let forms: Forms | null = null
  const masked = (text: string, { plain, base64, longest }: Forms, isCut: boolean): string => {
    const found: Found[] = []
    let end = text.length
    for (const spelling of spellingsOf(text)) {
      for (const [spelled, needles] of [
        [asPlain(spelling), plain],
        [asBase64(spelling), base64],
      ] as const) {
        search(spelled, needles, text.length, found)
        if (isCut) end = Math.min(end, spelled.from[Math.max(0, spelled.bytes.length - longest)] ?? 0)
      }
    }
    return replaced(text, found, end)
  }
  return {
    whole: (text) => masked(text, (forms ??= formsOf(values)), false),
    cut: (text, charactersMax, isCut = false) => {
      forms ??= formsOf(values)
      const ahead = text.slice(0, charactersMax + Math.min(aheadCharactersMax, aheadShare * forms.longest))
      const whole = masked(ahead, forms, isCut || ahead.length < text.length)
      // a text that had room before its secrets were named says that it lost its end
      const hasGrown = text.length <= charactersMax && whole.length > charactersMax
      const short = hasGrown ? `${whole.slice(0, charactersMax - 1)}…` : whole.slice(0, charactersMax)
      return short.toWellFormed()
    },
  }
}

/** @property longest more characters than any form has */
type Forms = { plain: Form[]; base64: Form[]; longest: number }

const formsOf = (values: readonly Hidden[]): Forms => {
  const [plain, base64] = [values.flatMap(plainForms), values.flatMap(base64Forms)]
  const longest = Math.max(...[...plain, ...base64].map(({ needle }) => needle.length))
  return { plain, base64, longest: Math.ceil((longest + 1) / longestStep) * longestStep }
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
  length: number,
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
  }
}

const isBase64 = (character: string | undefined): boolean => /^[a-z0-9+/]$/.test(character ?? '')

/** @param end where the text ends; a value that begins before is shown as hidden */
const replaced = (text: string, found: Found[], end: number): string => {
  const sorted = found.toSorted((one, other) => one.from - other.from || other.to - one.to)
  let masked = ''
  let done = 0
  for (const { from, to, shown } of sorted) {
    if (from >= end) break
    if (to <= done) continue
    if (from >= done) masked += `${text.slice(done, from)}${shown}`
    done = to
  }
  return `${masked}${text.slice(done, end)}`
}
