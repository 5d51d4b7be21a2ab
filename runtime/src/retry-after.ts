const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
/** IMF-fixdate, the preferred form of RFC 9110 5.6.7. */
// linear: its length is fixed
const httpDate = new RegExp(`^${day}, \\d{2} ${month} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`)

/**
 * Parses `Retry-After` (RFC 9110 10.2.3), in seconds or as a date.
 * @returns ms, within the bounds; null when the value is missing or invalid
 */
export const retryAfterMs = (
  value: string | null | undefined,
  nowMs: number,
  { minMs = 0, maxMs = Number.POSITIVE_INFINITY }: { minMs?: number; maxMs?: number } = {},
): number | null => {
  const text = value?.trim() ?? ''
  const waitMs = /^\d{1,10}$/.test(text)
    ? Number(text) * 1_000
    : httpDate.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN
  return Number.isNaN(waitMs) ? null : Math.min(maxMs, Math.max(minMs, waitMs))
}

/** A wait in the unit of `Retry-After`: whole seconds, at least one. */
export const wholeSeconds = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1_000))
