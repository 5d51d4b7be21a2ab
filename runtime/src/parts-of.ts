/** Splits a list such as `a, b`, trims its parts and removes empty ones. */
export const partsOf = (text: string, separator = ','): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
