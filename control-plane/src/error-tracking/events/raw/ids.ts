/**
 * The id that a bundler puts into a built file and into its source map, as a UUID in lower case;
 * undefined for what is none. Pure.
 */
export const debugIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 36) return undefined
  const hex = value.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(hex) || /^0+$/.test(hex)) return undefined
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * An event's id in its one spelling, 32 lower-case hexadecimal digits; SDKs write it with dashes or
 * without. Undefined for what is none, and for the one of zeros, which SDKs use for "none". Pure.
 */
export const eventIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 36) return undefined
  const digits = value.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined
}
