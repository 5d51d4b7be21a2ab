import type { CheckDetail, StoredReading } from '@probe-mesh/contracts/check/check'
import { showLine, showName } from '../plan/show-value.ts'
import { paint } from '../terminal/paint.ts'
import { hopSpans } from './hop-spans.ts'
import type { Look } from './look.ts'
import { count, milliseconds, time } from './measures.ts'
import { phaseSpans } from './phases.ts'
import { readingNotes } from './reading-notes.ts'
import { statusLines } from './status-words.ts'
import { vantageLine } from './vantage.ts'
import { waterfall } from './waterfall.ts'
import { wrapWords } from './wrap-words.ts'

export type RunAnswer = { readings: readonly StoredReading[]; unanswered: readonly string[] }

const indent = '     '
const verdicts = ['up', 'down', 'blocked', 'unmeasured'] as const

/**
 * What a check was measured as just now: for each region its verdict, time and phases, all bars on one
 * scale. A region that did not answer is unmeasured, which says nothing of the target.
 */
export const runReport = (
  look: Look,
  check: Pick<CheckDetail, 'name' | 'url' | 'target' | 'vantage'>,
  { readings, unanswered }: RunAnswer,
): string[] => {
  const bars = waterfall(look, readings.map(spansOf), indent)
  const target = check.url ?? check.target
  return [
    ...wrapWords(look, showName(check.name)).map((line) => paint(look, 'bold', line)),
    ...(target === null ? [] : wrapWords(look, target, '  ')),
    ...wrapWords(look, summaryOf(readings, unanswered), '  '),
    ...readings.flatMap((reading, n) => ['', ...readingLines(look, reading), ...(bars[n] ?? [])]),
    ...(unanswered.length > 0 ? [''] : []),
    ...unanswered.flatMap((region) => [
      ...statusLines(look, 'unmeasured', '', `${showLine(region)}  `),
      ...wrapWords(look, 'its probe did not answer, which says nothing of the target', indent),
    ]),
    '',
    ...wrapWords(look, vantageLine(check.vantage)),
  ]
}

const spansOf = ({ details, timings, latencyMs }: StoredReading) =>
  details?.type === 'multistep' ? hopSpans(details.hops) : phaseSpans(timings, latencyMs)

const summaryOf = (readings: readonly StoredReading[], unanswered: readonly string[]): string => {
  const counts = verdicts.flatMap((verdict) => {
    const silent = verdict === 'unmeasured' ? unanswered.length : 0
    const number = readings.filter((reading) => reading.verdict === verdict).length + silent
    return number === 0 ? [] : [`${number} ${verdict}`]
  })
  const asked = count(readings.length + unanswered.length, 'region')
  return `asked ${asked}: ${counts.join(', ')}`
}

const readingLines = (look: Look, reading: StoredReading): string[] => {
  const { region, verdict, latencyMs, httpStatus, measuredAt, reason, details } = reading
  const figures = [
    ...(latencyMs === null ? [] : [milliseconds(latencyMs)]),
    ...(httpStatus === null ? [] : [`HTTP ${httpStatus}`]),
    time(measuredAt),
  ]
  const notes = readingNotes(details)
  return [
    ...statusLines(look, verdict, ['', ...figures].join(', '), `${showLine(region)}  `),
    ...(reason === null ? [] : wrapWords(look, reason, indent)),
    ...(notes === '' ? [] : wrapWords(look, notes, indent)),
  ]
}
