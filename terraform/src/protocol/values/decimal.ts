/** Turns a whole number beyond 2^53 into a bigint. */
export const decimalOf = (value: number | bigint): number | bigint => {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
  }
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Terraform computes with 512 bits, about 155 digits and zeros. */
const charactersMax = 1024
const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/

/** A decimal's digits without leading and trailing zeros, and the power of ten of the last digit. */
const normalized = (text: string): string | null => {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? []
  if (matched === undefined) return null
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const shown = digits.replace(/(?<!0)0+$/, '')
  if (shown === '') return '0'
  return `${sign}${shown}e${Number(exponent) - fraction.length + digits.length - shown.length}`
}

/** @returns null when it is not a decimal, or has more digits than a number can keep */
export const parseDecimal = (text: string): number | bigint | null => {
  if (text.length > charactersMax) return null
  if (/^-?\d+$/.test(text)) return decimalOf(BigInt(text))
  const value = Number(text)
  if (!Number.isFinite(value)) return null
  const given = normalized(text)
  if (given === null || given !== normalized(String(value))) return null
  return decimalOf(Object.is(value, -0) ? 0 : value)
}
