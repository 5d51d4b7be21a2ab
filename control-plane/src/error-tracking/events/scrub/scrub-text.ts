import { removedMark } from '@probe-mesh/contracts/error-tracking/removed'
import { scrubAddresses } from './addresses.ts'
import { scrubAssignments } from './assignments.ts'
import { scrubCards } from './cards.ts'
import { scrubBase64, scrubPercent } from './encoded.ts'
import { scrubIbans } from './ibans.ts'
import { scrubSchemes, scrubShapes, scrubUserInfo } from './key-shapes.ts'
import { scrubNamed } from './named-values.ts'

export type TextRules = {
  /** By `plainName`. */
  further: ReadonlySet<string>
  keepAddresses: boolean
  /** What became of short texts of this event: some come thousands of times. */
  changed?: Map<string, string>
}

/** Encodings within encodings. */
const encodingsMax = 3
/** What one round lets stand for a reason that it removes itself, the next one finds. */
const roundsMax = 5

/**
 * A text without what looks secret. What comes out would come out again: rounds go on until one finds
 * nothing, and where that takes too many the whole text goes. Linear in the text's length. Pure.
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

/** Names of fields, functions and files come with every event: what was clean once is so again. */
const rememberedCharactersMax = 64
const rememberedMax = 10_000
const cleanWithAddresses = new Set<string>()
const cleanWithout = new Set<string>()

/** Texts in which nothing was found; null where it is not worth it, or a project has names of its own. */
const cleanTexts = (text: string, { further, keepAddresses }: TextRules): Set<string> | null => {
  if (text.length > rememberedCharactersMax || further.size > 0) return null
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
  rest = scrubAssignments(rest, rules.further)
  rest = scrubNamed(rest, rules.further)
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
