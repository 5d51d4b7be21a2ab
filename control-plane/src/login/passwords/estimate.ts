import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** The time of an estimate grows with the square of the length. These characters suffice for a strong password. */
const judgedCharactersMax = 72
/** From 0 to 4. 3 means at least 100 million guesses. */
const scoreMin = 3

export type EstimateQuestion = {
  password: string
  /** What others may know about the account: its e-mail address and its name. */
  own: readonly string[]
}

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  maxLength: judgedCharactersMax,
})

/** @returns the weakness of a password, as the end of a sentence with "This password"; null for a strong one. Pure. */
export const weaknessOf = ({ password, own }: EstimateQuestion): string | null => {
  const judged = password.normalize('NFC').slice(0, judgedCharactersMax)
  const { score, sequence } = estimator.check(judged, own.flatMap(partsOf))
  if (score >= scoreMin) return null
  // the longest part is the reason
  const [part] = sequence.toSorted((a, b) => b.token.length - a.token.length)
  return `${reasonOf(part)}. Use four unrelated words.`
}

/** An address and its parts, or the words of a name. */
const partsOf = (text: string): string[] => {
  const cut = text.slice(0, judgedCharactersMax)
  return [cut, ...cut.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length > 2)
}

const reasonOf = (part: { pattern: string } | undefined): string => {
  switch (part?.pattern) {
    case 'dictionary': {
      const name = 'dictionaryName' in part ? String(part.dictionaryName) : ''
      if (name === 'userInputs') return 'contains your e-mail address or your account name'
      if (name.startsWith('passwords')) return 'is a very common password, or similar to one'
      return 'has too few words or names'
    }
    case 'repeat':
      return 'repeats the same characters'
    case 'sequence':
    case 'wordSequence':
      return 'is a sequence such as abc or 123'
    case 'spatial':
      return 'follows the keys of a keyboard'
    case 'date':
    case 'regex':
      return 'is mostly a date or a year'
    default:
      return 'is easy to guess'
  }
}
