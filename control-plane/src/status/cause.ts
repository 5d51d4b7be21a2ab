/** The features by which two failures have the same cause. */
export type Cause = {
  /** The measured host; null if there is none. */
  host: string | null
  /** The reason, without details that differ between checks. */
  text: string
  /** The regions that saw it, in order. */
  regions: string[]
}

/** Matches a prefix such as `2 of 4 regions fail (fra, iad): `, which names places and no cause. */
const wherePattern = /^[^:()]*\([a-z, ]+\): /
// bounded: a reason has at most 300 characters
const addressPattern = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\[?[0-9a-f]*:[0-9a-f:]*:[0-9a-f:]+\]?/gi
const namePattern = /\b(?:[a-z0-9_-]+\.)+[a-z]{2,}\b/gi
const timePattern = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
/** A number with a unit, or one that is not an HTTP status. */
const numberPattern = /\d+(?:\.\d+)? ?(?:ms|s|min|h|d|bytes|B)\b|\d{4,}|\b\d{1,2}\b/g
const causeCharactersMax = 120

/** A reason for comparison: without names, addresses, times and amounts. */
export const normaliseReason = (reason: string | null): string =>
  (reason ?? 'no reason is known')
    .replace(wherePattern, '')
    .replaceAll(timePattern, '…')
    .replaceAll(addressPattern, '…')
    .replaceAll(namePattern, '…')
    .replaceAll(numberPattern, '…')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, causeCharactersMax)

/** A reason without its count of regions, for a text that says the regions itself. */
export const withoutRegions = (reason: string): string => reason.replace(wherePattern, '')

/** The host of a check's `url` or `target` (`host:port`, `name TYPE @resolver`, the URL of a page). */
export const hostOf = (check: { url: string | null; target: string | null }): string | null => {
  const url = check.url ?? (check.target?.includes('://') ? check.target : null)
  if (url !== null) return URL.canParse(url) ? new URL(url).hostname : null
  const match = /^\[([^\]]+)\]|^[^\s:]+/.exec(check.target ?? '')
  return match === null ? null : (match[1] ?? match[0]).toLowerCase()
}

/** Whether two failures have the same cause: the same host, or the same reason in the same regions. */
export const isSameCause = (a: Cause, b: Cause): boolean =>
  (a.host !== null && a.host === b.host) ||
  (a.regions.length > 0 && a.text === b.text && a.regions.join() === b.regions.join())
