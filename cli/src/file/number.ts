/**
 * Accepts a number only if it is written as it is printed: `1.0`, `007`, `1e3` or too many digits
 * would become another text in an assertion's value.
 */
export const readNumber = (text: string): { ok: true; value: number } | { ok: false; message: string } => {
  const value = Number(text)
  if (String(value) === text) return { ok: true, value }
  return {
    ok: false,
    message: Number.isFinite(value)
      ? `would be read as the number ${value}: write ${value}, or "${text}" for the text`
      : `is too large for a number: write "${text}" for the text`,
  }
}
