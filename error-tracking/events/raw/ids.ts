/**
 * A debug id, which links a built file to its source map, as a lower-case UUID; undefined if invalid.
 */
export const debugIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 36) return undefined
  const hex = value.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(hex) || /^0+$/.test(hex)) return undefined
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * An event id as 32 lower-case hexadecimal digits; SDKs send it with or without dashes. undefined if invalid
 * or all zeros, which SDKs use for "none".
 */
export const eventIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 36) return undefined
  const digits = value.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined
}
