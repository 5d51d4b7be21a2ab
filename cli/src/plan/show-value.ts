import type { Problem } from '@probe-mesh/contracts/refusal'
import type { FieldChange, FieldValue } from './plan.ts'
import { everyLiveRegion } from './region-choice.ts'

/** Of a longer text this many characters are shown. */
const shownCharactersMax = 72
/** Of two long texts this much is shown of what they have in common before they differ. */
const commonCharacters = 16

/** What a terminal acts on or hides: controls, line separators, marks of direction, no width. */
const unseen =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A text on one line with nothing unseen in it. */
export const showLine = (text: string): string =>
  text.replace(unseen, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A name whole, in quotes where it would otherwise be read as another. */
export const showName = (name: string): string => {
  const quoted = quote(name)
  return quoted === `"${name}"` && name.trim() === name ? name : quoted
}

/** One value of a field. Texts are in quotes, so that "1" is not 1. */
export const showValue = (field: FieldChange['field'], value: FieldValue): string =>
  typeof value === 'string' && field !== 'regions' ? showPart([...value], 0) : showPlain(value)

/** `old -> new`; two long texts are shown from where they differ. */
export const showChange = ({ field, old, new: next }: FieldChange): string => {
  if (typeof old !== 'string' || typeof next !== 'string' || field === 'regions') {
    return `${showValue(field, old)} -> ${showValue(field, next)}`
  }
  const [from, to] = [[...old], [...next]]
  const longest = Math.max(from.length, to.length)
  const differAt = from.findIndex((character, at) => character !== to[at])
  const start =
    longest <= shownCharactersMax
      ? 0
      : Math.max(0, (differAt === -1 ? from.length : differAt) - commonCharacters)
  return `${showPart(from, start)} -> ${showPart(to, start)}`
}

const showPlain = (value: FieldValue): string => {
  if (value === null) return 'unset'
  if (value === everyLiveRegion) return value
  return typeof value === 'object' ? value.join(', ') : String(value)
}

const showPart = (characters: readonly string[], start: number): string => {
  const end = start + shownCharactersMax
  const shown = quote(characters.slice(start, end).join(''))
  const isWhole = characters.length <= end
  const cut = isWhole ? '' : `... (${characters.length} characters)`
  return `${start > 0 ? '...' : ''}${shown}${cut}`
}

/** With the escapes of JSON. */
const quote = (text: string): string => showLine(JSON.stringify(text))

/** A refusal as the API returned it: its code, its message, and the fields it names. */
export const problemLines = ({ code, message, errors }: Problem): string[] => [
  `${code}: ${showLine(message)}`,
  ...errors.map(
    ({ path, message: wrong }) => `  ${path === '' ? '' : `${showLine(path)} `}${showLine(wrong)}`,
  ),
]
