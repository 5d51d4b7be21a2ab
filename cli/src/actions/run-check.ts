import type { CheckDetail, StoredReading } from '@probe-mesh/contracts/check/check'
import { factsOf } from '@probe-mesh/contracts/reading/readings-of-types'
import type { HopTrace, NameEvidence, ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { fail, writeJson } from '../api/failure.ts'
import { readDetail, readNamedChecks } from '../api/named-checks.ts'
import { openApi } from '../api/open-api.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { count, showLine, showName } from '../plan/show-value.ts'
import { displayOf, type Display } from '../show/display.ts'
import { wrapWords } from '../show/fit-width.ts'
import { milliseconds, none, time } from '../show/measures.ts'
import { phaseSpans } from '../show/phases.ts'
import { statusLines, vantageLine } from '../show/status-words.ts'
import { waterfall, type Span } from '../show/waterfall.ts'
import { writeLines } from '../terminal/context.ts'
import { paint } from '../terminal/paint.ts'

/**
 * Measures a check now from each of its regions. Exits 1 only when refused: finding the target down
 * is a measurement. As a write, it never waits for a rate limit.
 */
export const runCheck: Action<KeyOptions> = async (context, options, [given = '']) => {
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const { api } = opened
  const named = await readNamedChecks(api, given)
  if (!named.ok) return fail(context, options, named.failures)
  const [found, ...others] = named.value
  if (found === undefined || others.length > 0) {
    return fail(context, options, [severalOf(given, named.value)])
  }
  // the result of a run does not include the vantage
  const read = await readDetail(api, found.id)
  if (!read.ok) return fail(context, options, read.failures)
  const { id, name, vantage } = read.value
  const run = await api.write(`Measuring ${showName(name)}`, (client) =>
    client.call('runCheck', { params: { id } }, context.signal),
  )
  if (!run.ok) return fail(context, options, run.failures)
  const { out, environment } = context
  if (options.json) writeJson(out, { version: 1, check: { id, name }, vantage, ...run.value })
  else writeLines(out, runReport(displayOf(out, environment), read.value, run.value))
  return 0
}

const severalOf = (given: string, checks: readonly { id: string }[]) => ({
  message: `${checks.length} checks are named ${showName(given)}: use the id.`,
  hint: checks.map(({ id }) => id).join(', '),
})

type RunAnswer = { readings: readonly StoredReading[]; unanswered: readonly string[] }

const indent = '     '
const verdicts = ['up', 'down', 'blocked', 'unmeasured'] as const

/**
 * The result of a run by region with verdict, time and phases, all bars on one scale. A region that
 * did not answer is unmeasured, which says nothing about the target.
 */
export const runReport = (
  display: Display,
  check: Pick<CheckDetail, 'name' | 'url' | 'target' | 'vantage'>,
  { readings, unanswered }: RunAnswer,
): string[] => {
  const bars = waterfall(display, readings.map(spansOf), indent)
  const target = check.url ?? check.target
  return [
    ...wrapWords(display, showName(check.name)).map((line) => paint(display, 'bold', line)),
    ...(target === null ? [] : wrapWords(display, target, '  ')),
    ...wrapWords(display, summaryOf(readings, unanswered), '  '),
    ...readings.flatMap((reading, n) => ['', ...readingLines(display, reading), ...(bars[n] ?? [])]),
    ...(unanswered.length > 0 ? [''] : []),
    ...unanswered.flatMap((region) => [
      ...statusLines(display, 'unmeasured', '', `${showLine(region)}  `),
      ...wrapWords(display, 'its probe did not answer, which says nothing about the target', indent),
    ]),
    '',
    ...wrapWords(display, vantageLine(check.vantage)),
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
  return `${asked}: ${counts.join(', ')}`
}

const readingLines = (display: Display, reading: StoredReading): string[] => {
  const { region, verdict, latencyMs, httpStatus, measuredAt, reason, details } = reading
  const figures = [
    ...(latencyMs === null ? [] : [milliseconds(latencyMs)]),
    ...(httpStatus === null ? [] : [`HTTP ${httpStatus}`]),
    time(measuredAt),
  ]
  const notes = readingNotes(details)
  return [
    ...statusLines(display, verdict, ['', ...figures].join(', '), `${showLine(region)}  `),
    ...(reason === null ? [] : wrapWords(display, reason, indent)),
    ...(notes === '' ? [] : wrapWords(display, notes, indent)),
  ]
}

/** Each request of a multi-step check: `2 POST /login`, and `2.1` for its first redirect. */
const hopSpans = (hops: readonly HopTrace[]): Span[] =>
  hops.map(({ step, hop, method, url, httpStatus, startMs, latencyMs }) => ({
    label: `${step}${hop === 0 ? '' : `.${hop}`} ${method} ${pathOf(url)}`,
    startMs,
    lengthMs: latencyMs,
    value: `${httpStatus ?? none}  ${milliseconds(latencyMs)}`,
  }))

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)

/** Details of the check's type besides time and verdict, on one line; empty if there are none. */
const readingNotes = (details: ReadingDetails | null): string => {
  if (details === null) return ''
  const names = details.names ?? null
  return [typeNotes(details), names === null ? '' : nameNotes(names)].filter(Boolean).join('; ')
}

/** The name servers that were queried about an unresolved name, with their answers. */
const nameNotes = ({ name, servers }: NameEvidence): string => {
  if (servers.length === 0) return `${name}: no name server was queried directly`
  return `${name}: ${servers.map((server) => `${server.name} ${server.answer}`).join(', ')}`
}

const typeNotes = (details: ReadingDetails): string => {
  switch (details.type) {
    case 'http':
    case 'multistep':
      return details.notes?.join(', ') ?? ''
    default:
      return Object.entries(factsOf(details))
        .flatMap(([name, value]) => {
          const told = value === null ? '' : [value].flat().join(', ')
          return told === '' ? [] : [`${name}: ${told}`]
        })
        .join('; ')
  }
}
