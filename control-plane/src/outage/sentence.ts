import type { Evidence } from '@probe-mesh/contracts/outage/answers'

/** What the sentences of all answers are made with. */

const here = 'From this machine, '
/** Words that begin a sentence and are no names. */
const lowered = /^(A shared|An|No|Our|Response|Readings|The|Too|We)\b/

/** A sentence with where it was measured first, where all regions are one machine (S-1223). */
export const withVantage = ({ vantage }: Pick<Evidence, 'vantage'>, sentence: string): string =>
  vantage === 'local' ? `${here}${sentence.replace(lowered, (word) => word.toLowerCase())}` : sentence

/** The same after a colon. */
export const lowerStart = (sentence: string): string => sentence.replace(/^From this/, 'from this')

/** The same without it, for a sentence that has said so. */
export const withoutVantage = (sentence: string): string =>
  sentence.startsWith(here) ? sentence.slice(here.length) : sentence

/** `, measured 2026-11-20 12:00 UTC`; nothing where nothing was. */
export const whenMeasured = ({ measuredAt }: Pick<Evidence, 'measuredAt'>): string =>
  measuredAt === null ? '' : `, measured ${minuteOf(measuredAt)}`

/** `2026-11-20 12:00 UTC` */
export const minuteOf = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`

/** `a, b and c` */
export const list = (items: readonly string[], last = 'and'): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`

const namedCharactersMax = 60

/** What a visitor or a target wrote, as part of one line: no control characters, no quotes, cut. */
export const quotable = (text: string, charactersMax = namedCharactersMax): string =>
  [...text.slice(0, 4 * charactersMax).replaceAll(/[\p{C}\p{Z}"]+/gu, ' ')]
    .slice(0, charactersMax)
    .join('')
    .trim()

const reasonCharactersMax = 160

/** The reason that most give; of as many, the first by the alphabet. */
export const mostCommon = (reasons: readonly (string | null)[], unknown = 'no reason is known'): string => {
  const counts = new Map<string, number>()
  for (const reason of reasons) {
    counts.set(reason ?? unknown, (counts.get(reason ?? unknown) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return quotable(most?.[0] ?? '', reasonCharactersMax)
}
