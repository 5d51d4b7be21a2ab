/**
 * An event's id in its one spelling, 32 lower-case hexadecimal digits; SDKs write it with dashes or
 * without. Undefined for what is none, and for the one of zeros, which SDKs use for "none". Pure.
 */
export const eventIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 36) return undefined
  const digits = value.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined
}
