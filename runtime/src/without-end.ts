/**
 * The text without one sign that it ends with, however often: `/a//` becomes `/a`. Linear, which `/\/+$/` is not: a
 * regular expression tries each place of a long run again.
 */
export const withoutEnd = (text: string, sign: string): string => {
  let end = text.length
  while (text[end - 1] === sign) end -= 1
  return text.slice(0, end)
}
