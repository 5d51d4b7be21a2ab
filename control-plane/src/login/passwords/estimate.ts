import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** The time of an estimate grows with the square of the length, and what stands here suffices to be strong. */
export const judgedCharactersMax = 72
/** Of 0 to 4: 3 stands for 100 million guesses or more. */
const scoreMin = 3

export type EstimateQuestion = {
  password: string
  /** What others may know of the account: its e-mail address and its name. */
  own: readonly string[]
}

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  maxLength: judgedCharactersMax,
})

/** @returns what makes a password weak, to be read after "This password"; null for a strong one. Pure. */
export const weaknessOf = ({ password, own }: EstimateQuestion): string | null => {
  const judged = password.normalize('NFC').slice(0, judgedCharactersMax)
  const { score, sequence } = estimator.check(judged, own.flatMap(partsOf))
  if (score >= scoreMin) return null
  // the part that covers most of it is the reason
  const [part] = sequence.toSorted((a, b) => b.token.length - a.token.length)
  return `${reasonOf(part)}. Use four unrelated words.`
}

/** An address as a whole and by its parts, a name by its words. */
const partsOf = (text: string): string[] => {
  const cut = text.slice(0, judgedCharactersMax)
  return [cut, ...cut.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length > 2)
}

const reasonOf = (part: { pattern: string } | undefined): string => {
  switch (part?.pattern) {
    case 'dictionary': {
      const name = 'dictionaryName' in part ? String(part.dictionaryName) : ''
      if (name === 'userInputs') return 'contains your e-mail address or your account name'
      if (name.startsWith('passwords')) return 'is one of the most common, or close to one'
      return 'is made of too few words or names'
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
