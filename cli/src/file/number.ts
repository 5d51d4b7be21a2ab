/**
 * A number is taken only where its text is what it is read back as: `1.0`, `007`, `1e3` or a number
 * with more digits than there is room for would come out as another text in an assertion's value.
 */
export const readNumber = (
  text: string,
): { ok: true; value: number } | { ok: false; message: string } => {
  const value = Number(text)
  if (String(value) === text) return { ok: true, value }
  return {
    ok: false,
    message: Number.isFinite(value)
      ? `would be read as the number ${value}: write ${value}, or "${text}" for the text`
      : `is too large for a number: write "${text}" for the text`,
  }
}
