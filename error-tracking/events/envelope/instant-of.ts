const zoned = /(?:z|[+-]\d\d:?\d\d)$/i

/**
 * Parses a timestamp of an SDK to Unix milliseconds: seconds as a number or text, or ISO 8601, which is UTC
 * without a zone. undefined for anything else.
 */
export const instantOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return finite(value * 1_000)
  if (typeof value !== 'string' || value.length > 64) return undefined
  const text = value.trim()
  if (/^\d{1,12}(?:\.\d{1,12})?$/.test(text)) return finite(Number(text) * 1_000)
  if (!/^\d{4}-\d\d-\d\d[T ]/.test(text)) return undefined
  const iso = text.replace(' ', 'T')
  return finite(Date.parse(zoned.test(iso.slice(10)) ? iso : `${iso}Z`))
}

/** Rounded milliseconds in the range of a date. */
const finite = (ms: number): number | undefined => (Math.abs(ms) <= 8.64e15 ? Math.round(ms) : undefined)
