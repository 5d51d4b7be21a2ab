import { removedMark } from '../../contracts/removed.ts'
import { scrubAssignments } from './assignments.ts'
import { scrubBase64, scrubPercent } from './encoded.ts'
import { scrubIbans } from './ibans.ts'
import { scrubSchemes, scrubShapes, scrubUserInfo } from './key-shapes.ts'
import { scrubNamed } from './named-values.ts'

const email = /[\p{L}\p{N}_.+%'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu

/** Four numbers up to 255. After a name with a slash, or a "v", they are a version. */
const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
// linear: its length is at most 15
const ipv4 = new RegExp(
  `(?<![\\w.]|[A-Za-z]\\/|[Vv]ersion[ :=]{1,2})${octet}(?:\\.${octet}){3}(?![\\w]|\\.\\d)`,
  'g',
)
const ipv6 = /(?<![\w:.])[0-9a-f:]{2,39}(?:\d{0,2}(?:\.\d{1,3}){3})?(?![\w:])/gi

/** Quick checks that every text with an address passes. */
const hint4 = /\d\.\d{1,3}\.\d/
const hint6 = /::|:(?:[0-9a-f]{1,4}:){5}/i

/** Removes e-mail and IP addresses, except loopback addresses. */
export const scrubAddresses = (text: string): string => {
  let rest = text
  const sign = rest.indexOf('@')
  if (sign !== -1 && rest.includes('.', sign)) rest = rest.replaceAll(email, removedMark('email'))
  if (hint4.test(rest)) {
    rest = rest.replaceAll(ipv4, (found) => (isLoopback4(found) ? found : removedMark('ip address')))
  }
  if (rest.includes(':') && hint6.test(rest)) {
    rest = rest.replaceAll(ipv6, (found) => (isAddress6(found) ? removedMark('ip address') : found))
  }
  return rest
}

const isLoopback4 = (found: string): boolean => found.startsWith('127.') || found === '0.0.0.0'

/** Requires a digit, because `Face::Add` is a function. Excludes the loopback addresses `::` and `::1`. */
const isAddress6 = (found: string): boolean => {
  if (!/[1-9]/.test(found) || found === '::1') return false
  const halves = found.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group) || /^\d+(?:\.\d+){3}$/.test(group)))
    return false
  const count = groups.length + (groups.at(-1)?.includes('.') === true ? 1 : 0)
  return halves.length === 2 ? count < 8 : count === 8
}

/**
 * Digits in the formats of cards: without separators, or in groups. The first alternative matches UUIDs, so
 * that no part of one counts as a card.
 */
const candidate =
  /(?<![0-9A-Za-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9A-Za-z]|\d[.,-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![0-9A-Za-z]|[-.]\d)/gi

/** Removes card numbers in the range of an issuer with a valid check digit. */
const scrubCards = (text: string): string =>
  text.replaceAll(candidate, (found) => (isCard(found) ? removedMark('card') : found))

/** Checks the issuer's range and the Luhn check digit. */
const isCard = (text: string): boolean => {
  const digits = text.replaceAll(/[ -]/g, '')
  return /^(?:3[04-9]|4|5[0-9]|6[0-9]|2[2-7])\d{11,17}$/.test(digits) && isLuhn(digits)
}

const isLuhn = (digits: string): boolean => {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

export type TextRules = {
  /** The project's secret names, in the format of `normalizeName`. */
  extraNames: ReadonlySet<string>
  keepAddresses: boolean
  /** A cache of short scrubbed texts of this event, which can repeat thousands of times. */
  changed?: Map<string, string>
}

/** Levels of nested encodings. */
const encodingsMax = 3
/** A removal can reveal another secret, which the next round removes. */
const roundsMax = 5

/**
 * A text without secrets. Rounds repeat until one finds nothing, so that scrubbing the result again changes
 * nothing. A text that needs too many rounds is removed whole. Linear in the length of the text.
 */
export const scrubText = (text: string, rules: TextRules): string => {
  const clean = cleanTexts(text, rules)
  if (clean?.has(text) === true) return text
  const known = rules.changed?.get(text)
  if (known !== undefined) return known
  const result = scrubRounds(text, rules)
  if (result === text) remember(clean, text)
  else if (text.length <= rememberedCharactersMax) rules.changed?.set(text, result)
  return result
}

const scrubRounds = (text: string, rules: TextRules): string => {
  let rest = text
  for (let round = 0; round < roundsMax; round++) {
    const next = scrubOnce(rest, rules, 0)
    if (next === rest) return rest
    rest = next
  }
  return removedMark('text')
}

/** Caches clean texts, because names of fields, functions and files repeat in every event. */
const rememberedCharactersMax = 64
const rememberedMax = 10_000
const cleanWithAddresses = new Set<string>()
const cleanWithout = new Set<string>()

/** The cache of clean texts; null for long texts and for projects with their own secret names. */
const cleanTexts = (text: string, { extraNames, keepAddresses }: TextRules): Set<string> | null => {
  if (text.length > rememberedCharactersMax || extraNames.size > 0) return null
  return keepAddresses ? cleanWithAddresses : cleanWithout
}

const remember = (clean: Set<string> | null, text: string): void => {
  if (clean === null) return
  if (clean.size >= rememberedMax) clean.clear()
  clean.add(text)
}

const scrubOnce = (text: string, rules: TextRules, encodings: number): string => {
  if (text.length < 4) return text
  let rest = scrubShapes(text)
  rest = scrubUserInfo(rest)
  rest = scrubAssignments(rest, rules.extraNames)
  rest = scrubNamed(rest, rules.extraNames)
  rest = scrubSchemes(rest)
  if (/\d{4}/.test(rest)) rest = scrubCards(rest)
  if (/[A-Z]{2}\d{2}/i.test(rest)) rest = scrubIbans(rest)
  if (encodings < encodingsMax) {
    const deeper = (decoded: string): string => scrubOnce(decoded, rules, encodings + 1)
    rest = scrubPercent(rest, deeper)
    rest = scrubBase64(rest, deeper)
  }
  return rules.keepAddresses ? rest : scrubAddresses(rest)
}
