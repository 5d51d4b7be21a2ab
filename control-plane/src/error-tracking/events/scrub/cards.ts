import { removedMark } from '@probe-mesh/contracts/error-tracking/removed'

/**
 * Digits as cards are written: at once, or in groups of one separator. An id of 36 characters and a
 * number with more digits are matched first, so that no part of one is taken for a card.
 */
const candidate =
  /(?<![0-9A-Za-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9A-Za-z]|\d[.,-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![0-9A-Za-z]|[-.]\d)/gi

/** Takes out card numbers: of an issuer's range, and right by their check digit. Pure. */
export const scrubCards = (text: string): string =>
  text.replaceAll(candidate, (found) => (isCard(found) ? removedMark('card') : found))

/** By the ranges of the issuers that are in use, and by Luhn's formula. */
export const isCard = (text: string): boolean => {
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
