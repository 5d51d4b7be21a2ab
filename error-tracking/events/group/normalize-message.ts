/** The part of a message that is used for grouping. The rest is mostly data. */
const charactersMax = 1_000

/**
 * Patterns of parts that differ by run, the longest forms first. All repetitions are bounded, so that
 * matching is linear.
 */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\[removed: [a-z0-9 ]+\]/g, '<removed>'],
  [/\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>()]{1,1000}/gi, '<url>'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, '<email>'],
  [/\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b0x[0-9a-f]{1,64}\b/gi, '<address>'],
  // an id or a hash: hexadecimal with at least one digit, because "deadbeef" can be a word
  [/\b(?=[a-f]{0,64}\d)[0-9a-f]{8,64}\b/gi, '<id>'],
  // any other word with at least three digits, such as an id in base 62
  [/\b(?=(?:[a-z_]{0,64}\d){3})(?=\d{0,64}[a-z_])\w{12,64}\b/gi, '<id>'],
  [/[-+]?\d{1,64}(?:[.,]\d{1,64}){0,8}/g, '<number>'],
]

/** A message without the parts that differ by run. */
export const normalizeMessage = (message: string): string => {
  let normalized = message.slice(0, charactersMax)
  for (const [pattern, name] of volatile) normalized = normalized.replaceAll(pattern, name)
  return normalized.replaceAll(/\s+/g, ' ').trim()
}
