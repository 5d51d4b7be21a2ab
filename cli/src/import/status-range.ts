import { limits } from '@probe-mesh/contracts/schema/limits'
import { note, share, skip, type Draft } from './draft.ts'

/** Statuses from the first to the last, both included. */
export type StatusRange = { min: number; max: number }

/** The statuses that assertions can name. */
const assertable: StatusRange = { min: 100, max: 599 }
const redirects: StatusRange = { min: 300, max: 399 }

/**
 * Asserts the accepted statuses. A check has one range, which replaces the default of 2xx: anything
 * else has no check. A redirect within the range is the final response and is not followed, so the
 * range excludes redirects if the monitor follows them.
 * @param follows whether the monitor follows redirects
 */
export const assertStatuses = (
  draft: Draft,
  field: string,
  accepted: readonly StatusRange[],
  follows: boolean,
): void => {
  const own = merged(accepted.flatMap((range) => between(range, assertable)))
  if (own.length === 0) return skip(draft, field, 'accepts no valid status')
  if (accepted.some(({ min, max }) => max > assertable.max && max >= min)) {
    note(draft, field, `no status above ${assertable.max} is accepted here`)
  }
  const range = follows ? followedRange(draft, field, own) : only(own)
  if (range === null) {
    const list = own.map(({ min, max }) => (min === max ? `${min}` : `${min}-${max}`)).join(', ')
    return skip(draft, field, `accepts ${list}: a check has one status range`)
  }
  if (range.min === 200 && range.max === 299) return
  draft.fields.assertionStatusMin = range.min
  draft.fields.assertionStatusMax = range.max
}

/** The range of a monitor that judges the response after redirects. */
const followedRange = (draft: Draft, field: string, own: readonly StatusRange[]): StatusRange | null => {
  if (own.every((range) => between(range, redirects).length === 0)) return only(own)
  const range = only(own.flatMap((one) => outside(one, redirects)))
  if (range !== null) {
    note(draft, field, 'redirects are followed, and any other 3xx status is down here')
    return range
  }
  const whole = only(own)
  if (whole !== null) {
    note(draft, field, 'a redirect within the range is the final response here and is not followed')
  }
  return whole
}

/**
 * Notes a different limit of redirects. Call it after the statuses are asserted.
 * @param usual the source's default: a difference from it is noted once
 */
export const compareRedirects = (
  draft: Draft,
  field: string,
  { followed, usual }: { followed: number; usual: number },
): void => {
  const { assertionStatusMin: min, assertionStatusMax: max } = draft.fields
  const areAnswers = min !== undefined && max !== undefined && min <= 301 && max >= 308
  if (followed === hopsFollowed || (followed <= 0 && areAnswers)) return
  const message = `up to ${hopsFollowed} redirects are followed here, not ${followed}`
  if (followed === usual) share(draft, field, message)
  else note(draft, field, message)
}

const hopsFollowed = limits.checkRedirectHopsMax

/** Whole numbers as ordered ranges. */
export const rangesOf = (statuses: readonly number[]): StatusRange[] =>
  merged(statuses.map((status) => ({ min: status, max: status })))

const only = (ranges: readonly StatusRange[]): StatusRange | null =>
  ranges.length === 1 ? (ranges[0] ?? null) : null

/** Ordered ranges; overlapping and adjacent ones are merged. */
const merged = (ranges: readonly StatusRange[]): StatusRange[] => {
  const result: StatusRange[] = []
  for (const range of ranges.toSorted((one, other) => one.min - other.min)) {
    const last = result.at(-1)
    if (last === undefined || range.min > last.max + 1) result.push({ ...range })
    else last.max = Math.max(last.max, range.max)
  }
  return result
}

const sound = (range: StatusRange): StatusRange[] => (range.min <= range.max ? [range] : [])

const between = (range: StatusRange, bounds: StatusRange): StatusRange[] =>
  sound({ min: Math.max(range.min, bounds.min), max: Math.min(range.max, bounds.max) })

const outside = (range: StatusRange, hole: StatusRange): StatusRange[] => [
  ...sound({ min: range.min, max: Math.min(range.max, hole.min - 1) }),
  ...sound({ min: Math.max(range.min, hole.max + 1), max: range.max }),
]
