/** Ranges of a check's history, hours. */
export const ranges = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720, '90d': 2160 } as const
export type Range = keyof typeof ranges

const hourMs = 3_600_000
/** The minimum length of a dragged window. */
const spanMsMin = 5 * 60_000
const spanMsMax = ranges['90d'] * hourMs

/** The window of a page: one of the ranges up to now, or a custom window. */
export type HistoryChoice = { range: Range | null; fromMs: number; toMs: number }

/**
 * The window in an address. By default a new check shows its first hour or first six hours: in a day it would
 * be a dot at the edge. A custom window (`from`, `to`: Unix ms) is within the last 90 days and lasts 5
 * minutes or more.
 */
export const historyChoice = (
  query: URLSearchParams,
  { createdAt }: { createdAt: string },
  nowMs: number,
): HistoryChoice => {
  const [from, to] = [Number(query.get('from') ?? NaN), Number(query.get('to') ?? NaN)]
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && to > from) {
    const toMs = Math.min(nowMs, Math.max(to, from + spanMsMin))
    const fromMs = Math.max(nowMs - spanMsMax, Math.min(from, toMs - spanMsMin))
    if (toMs - fromMs >= spanMsMin) return { range: null, fromMs, toMs }
  }
  const asked = query.get('range') ?? ''
  const range = isRange(asked) ? asked : rangeOfAge(nowMs - Date.parse(createdAt))
  return { range, fromMs: nowMs - ranges[range] * hourMs, toMs: nowMs }
}

const rangeOfAge = (ageMs: number): Range => (ageMs < hourMs ? '1h' : ageMs < 6 * hourMs ? '6h' : '24h')

/** The region in an address; null without one. */
export const regionIn = (query: URLSearchParams): string | null => {
  const region = query.get('region') ?? ''
  return /^[a-z]{3}$/.test(region) ? region : null
}

const isRange = (text: string): text is Range => Object.hasOwn(ranges, text)

const stepsSeconds = [60, 120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400] as const
const stepsMax = 300

/**
 * Seconds of one step: the shortest step with few enough points and a slot in every region; a step without a
 * slot would look like a gap.
 */
export const stepSeconds = (
  { fromMs, toMs }: Pick<HistoryChoice, 'fromMs' | 'toMs'>,
  intervalSeconds: number,
): number =>
  stepsSeconds.find((step) => step >= intervalSeconds && (toMs - fromMs) / 1000 / step <= stepsMax) ?? 86_400
