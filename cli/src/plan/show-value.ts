import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { FieldChange, FieldValue } from './plan.ts'
import { everyLiveRegion } from './region-choice.ts'

/** The characters shown of a longer text. */
const shownCharactersMax = 72
/** The common characters shown before two long texts differ. */
const commonCharacters = 16

/** What a terminal interprets or hides: controls, line separators, direction marks, zero width. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** Text on one line without invisible characters. */
export const showLine = (text: string): string =>
  text.replace(unseen, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A whole name, in quotes if it is ambiguous without. */
export const showName = (name: string): string => {
  const quoted = quote(name)
  return quoted === `"${name}"` && name.trim() === name ? name : quoted
}

/** One field value. Texts are quoted, so that "1" differs from 1. */
export const showValue = (field: FieldChange['field'], value: FieldValue): string =>
  typeof value === 'string' && field !== 'regions' ? showPart([...value], 0) : showPlain(value)

/** `old -> new`; two long texts are shown from their first difference. */
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

/** A refusal as the API returned it: code, message, and the fields it names. */
export const problemLines = ({ code, message, errors }: Problem): string[] => [
  `${code}: ${showLine(message)}`,
  ...errors.map(
    ({ path, message: wrong }) => `  ${path === '' ? '' : `${showLine(path)} `}${showLine(wrong)}`,
  ),
]

/** `1 check`, `2 checks`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
