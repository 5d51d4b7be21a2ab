import { limits } from '@probe-mesh/contracts/schema/limits'

/** @returns why a text cannot be the value of an assertion; null where it can */
export const unassertable = (value: string, isEmptyAllowed = false): string | null => {
  if (value === '' && !isEmptyAllowed) return 'the text to look for is empty'
  if (value.length > limits.assertionValueCharactersMax) {
    return `the text is longer than ${limits.assertionValueCharactersMax} characters`
  }
  return isStorable(value) ? null : 'the text has NUL or half of a surrogate pair'
}

/** What the API and a file of checks take: they refuse NUL and halves of surrogate pairs. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')

/** The same text without what cannot be stored. */
export const storable = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()
