/** As much of a message as groups: what comes later is mostly data. */
const charactersMax = 1_000

/**
 * What a message may hold that differs from one run to the next, the longest form first. Each is of
 * characters that end at others, or bounded, so that no text is read more than a few times.
 */
const changing: readonly (readonly [RegExp, string])[] = [
  [/\[removed: [a-z0-9 ]+\]/g, '<removed>'],
  [/\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>()]{1,1000}/gi, '<url>'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, '<email>'],
  [/\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b0x[0-9a-f]{1,64}\b/gi, '<address>'],
  // an id or a hash: hexadecimal, and with a digit, since "deadbeef" may be a word
  [/\b(?=[a-f]{0,64}\d)[0-9a-f]{8,64}\b/gi, '<id>'],
  // any other word with several digits among its letters, such as an id in base 62
  [/\b(?=(?:[a-z_]{0,64}\d){3})(?=\d{0,64}[a-z_])\w{12,64}\b/gi, '<id>'],
  [/[-+]?\d{1,64}(?:[.,]\d{1,64}){0,8}/g, '<number>'],
]

/** A message without what differs from one run to the next. Pure. */
export const normalizeMessage = (message: string): string => {
  let plain = message.slice(0, charactersMax)
  for (const [pattern, name] of changing) plain = plain.replaceAll(pattern, name)
  return plain.replaceAll(/\s+/g, ' ').trim()
}
