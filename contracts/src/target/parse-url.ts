/** A URL, or null where the text is none: `URL.parse`, which Node 22.0 has not. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
