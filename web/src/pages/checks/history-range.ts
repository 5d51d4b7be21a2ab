/** Spans of time that a check's history is shown over, hours. */
export const ranges = { '24h': 24, '7d': 168, '30d': 720, '90d': 2160 } as const
export type Range = keyof typeof ranges

export const rangeNames: Readonly<Record<Range, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}

/** What of a check's history is asked for. */
export type HistoryChoice = { range: Range; region: string | null }

/** As an address has it: what is no range is a day, what is no region is all of them. */
export const historyChoice = (query: URLSearchParams): HistoryChoice => {
  const range = query.get('range') ?? ''
  return { range: isRange(range) ? range : '24h', region: regionIn(query) }
}

/** The region that an address names; null where it names none. */
export const regionIn = (query: URLSearchParams): string | null => {
  const region = query.get('region') ?? ''
  return /^[a-z]{3}$/.test(region) ? region : null
}

const isRange = (text: string): text is Range => Object.hasOwn(ranges, text)

const stepsSeconds = [300, 900, 3_600, 21_600, 86_400] as const
const stepsMax = 300

/**
 * Seconds of one step: the finest that makes few enough points, and in which every region has a
 * slot, since a step without one would be a gap that means nothing.
 */
export const stepSeconds = (range: Range, intervalSeconds: number): number =>
  stepsSeconds.find((step) => step >= intervalSeconds && (ranges[range] * 3_600) / step <= stepsMax) ?? 86_400
