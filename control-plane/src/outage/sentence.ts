import type { Evidence } from '@probe-mesh/contracts/outage/answers'

/** Helpers for the sentences of all answers. */

const here = 'From this machine, '
/** First words of sentences that are not names. */
const lowered = /^(A shared|An|No|Our|Response|Readings|The|Too|We)\b/

/** Adds "From this machine, " if all regions are one machine (S-1223). */
export const withVantage = ({ vantage }: Pick<Evidence, 'vantage'>, sentence: string): string =>
  vantage === 'local' ? `${here}${sentence.replace(lowered, (word) => word.toLowerCase())}` : sentence

/** The sentence in lower case, to follow a colon. */
export const lowerStart = (sentence: string): string => sentence.replace(/^From this/, 'from this')

/** The sentence without "From this machine, ", to follow one that has it. */
export const withoutVantage = (sentence: string): string =>
  sentence.startsWith(here) ? sentence.slice(here.length) : sentence

/** `, measured 2026-11-20 12:00 UTC`; empty without a measurement. */
export const whenMeasured = ({ measuredAt }: Pick<Evidence, 'measuredAt'>): string =>
  measuredAt === null ? '' : `, measured ${minuteOf(measuredAt)}`

/** `2026-11-20 12:00 UTC` */
export const minuteOf = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`

/** `a, b and c` */
export const list = (items: readonly string[], last = 'and'): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`

const namedCharactersMax = 60

/** A visitor's or target's text as part of one line: without control characters and quotes, truncated. */
export const quotable = (text: string, charactersMax = namedCharactersMax): string =>
  [...text.slice(0, 4 * charactersMax).replaceAll(/[\p{C}\p{Z}"]+/gu, ' ')]
    .slice(0, charactersMax)
    .join('')
    .trim()

const reasonCharactersMax = 160

/** The most common reason; on a tie the alphabetically first. */
export const mostCommon = (reasons: readonly (string | null)[], unknown = 'no reason is known'): string => {
  const counts = new Map<string, number>()
  for (const reason of reasons) {
    counts.set(reason ?? unknown, (counts.get(reason ?? unknown) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return quotable(most?.[0] ?? '', reasonCharactersMax)
}
