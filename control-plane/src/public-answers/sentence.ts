import type { Evidence } from '@probe-mesh/contracts/outage/answers'

/** Helpers for the sentences of all answers. */

const here = 'From this machine, '
/** First words of sentences that are not names. */
const lowered = /^(A shared|An|No|Nothing|Our|Response|Readings|The|Too|We)\b/

/** Adds "From this machine, " if all regions are one machine (S-1223). */
export const withVantage = ({ vantage }: Pick<Evidence, 'vantage'>, sentence: string): string =>
  vantage === 'local' ? `${here}${sentence.replace(lowered, (word) => word.toLowerCase())}` : sentence

/** The first words about a service that answers. */
export const noSign = 'No sign of an outage'

const noSignFirst = /^(From this machine, )?No sign of an outage/i

/**
 * A service's summary as a clause of its own: `our own probes: GitHub is up in ...`. @param isHereSaid whether the
 * sentence already says "From this machine"
 */
export const ofOurProbes = (summary: string, isHereSaid = false): string => {
  const said = isHereSaid && summary.startsWith(here) ? summary.slice(here.length) : summary
  const clause = said.replace(
    noSignFirst,
    (_, local = '') => `${local.toLowerCase()}our own probes see no sign of an outage`,
  )
  return clause === said ? `our own probes: ${said.replace(/^From this/, 'from this')}` : clause
}

/** A service's summary without its last sentence, which says what an answer does not show: for a page that said it. */
export const withoutLimit = (summary: string): string =>
  summary.replace(/ That (?:does not show that all of|says little about whether) .+ works\.$/, '')

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
