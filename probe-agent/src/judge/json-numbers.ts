// Numbers of JSON have any size (RFC 8259 6). Integers and what exceeds a double are compared exactly; fractions as doubles,
// since programs write the same one with 15 to 17 digits.

/** A number that no double holds, as it is written. */
export class ExactNumber {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

/** Few documents have a number of many digits, or with a large exponent. */
const mayExceedDouble = /[\d.]{16}|\de[+-]?\d{3,20}(?![^\s,\]}])/i

/** A document, in which numbers that a double does not hold are of `ExactNumber`. */
export const parseJson = (text: string): { ok: true; value: unknown } | { ok: false } => {
  try {
    const value: unknown = mayExceedDouble.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text)
    return { ok: true, value }
  } catch {
    return { ok: false }
  }
}

const exactNumber = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value !== 'number' || context?.source === undefined || isNumberText(value, context.source)
    ? value
    : new ExactNumber(context.source)

/** Whether a text is this number, in any spelling, such as 1.50 and 15e-1. */
export const isNumberText = (value: number | ExactNumber, text: string): boolean => {
  const found = canonical(String(value))
  const isFraction = typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value)
  return (
    (found !== null && found === canonical(text)) ||
    (isFraction && decimal.test(text) && Number(text) === value)
  )
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,20}))?$/i

/** Sign, digits without zeros around them, exponent; null: no number, or an exponent of more than 20 digits. */
const canonical = (text: string): string | null => {
  const [, sign = '', whole, fraction = '', exponent = '0'] = decimal.exec(text) ?? []
  if (whole === undefined) return null
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  // no expression: one that looks for zeros at the end begins at each of them
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  if (end === 0) return '0'
  return `${sign}${digits.slice(0, end)}e${BigInt(exponent) - BigInt(fraction.length - digits.length + end)}`
}
