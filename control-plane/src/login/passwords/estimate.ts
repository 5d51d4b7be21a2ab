import { passwordAdvice, passwordProblems } from '@probe-mesh/contracts/account/password-problems'
import { isCalendarWord, isExample } from './calendar-words.ts'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/**
 * The time of an estimate grows with the square of the length. These characters suffice for a strong
 * password.
 */
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

/**
 * @returns the weakness of a password, as the end of a sentence with "This password"; null for a strong one.
 */
export const weaknessOf = ({ password, own }: EstimateQuestion): string | null => {
  const judged = password.normalize('NFC').slice(0, judgedCharactersMax)
  const { score, sequence } = estimator.check(judged, own.flatMap(partsOf))
  if (score >= scoreMin) {
    const known = isExample(judged) ? 'common' : isCalendarWord(judged) ? 'date' : null
    return known === null ? null : `${passwordProblems[known]}. ${passwordAdvice}`
  }
  // the longest part is the reason
  const [part] = sequence.toSorted((a, b) => b.token.length - a.token.length)
  return `${passwordProblems[reasonOf(part)]}. ${passwordAdvice}`
}

/** An address and its parts, or the words of a name. */
const partsOf = (text: string): string[] => {
  const cut = text.slice(0, judgedCharactersMax)
  return [cut, ...cut.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length > 2)
}

const reasonOf = (part: { pattern: string } | undefined): keyof typeof passwordProblems => {
  switch (part?.pattern) {
    case 'dictionary': {
      const name = 'dictionaryName' in part ? String(part.dictionaryName) : ''
      if (name === 'userInputs') return 'own'
      if (name.startsWith('passwords')) return 'common'
      return 'words'
    }
    case 'repeat':
      return 'repeat'
    case 'sequence':
    case 'wordSequence':
      return 'sequence'
    case 'spatial':
      return 'keyboard'
    case 'date':
    case 'regex':
      return 'date'
    default:
      return 'easy'
  }
}
