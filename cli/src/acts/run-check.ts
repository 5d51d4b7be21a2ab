import type { CheckDetail, StoredReading } from '@probe-mesh/contracts/check'
import type { HopTrace, NameEvidence, ReadingDetails } from '@probe-mesh/contracts/reading-details'
import { fail, writeJson } from '../api/failure.ts'
import { readDetail, readNamedChecks } from '../api/named-checks.ts'
import { openApi } from '../api/open-api.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { showLine, showName } from '../plan/show-value.ts'
import { wrapWords } from '../show/fit-width.ts'
import { lookOf } from '../show/look.ts'
import type { Look } from '../show/look.ts'
import { count, milliseconds, none, time } from '../show/measures.ts'
import { phaseSpans } from '../show/phases.ts'
import { statusLines, vantageLine } from '../show/status-words.ts'
import { waterfall } from '../show/waterfall.ts'
import type { Span } from '../show/waterfall.ts'
import { paint } from '../terminal/paint.ts'
import { writeLines } from '../terminal/world.ts'

/**
 * Measures a check now, from every region of its. A measurement was made also where it found the
 * target down: it exits 1 only where it was refused. Being a write, it never waits a 429 out.
 */
export const runCheck: Act<Keyed> = async (world, options, [given = '']) => {
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  const { api } = opened
  const named = await readNamedChecks(api, given)
  if (!named.ok) return fail(world, options, named.failures)
  const [found, ...others] = named.value
  if (found === undefined || others.length > 0) {
    return fail(world, options, [severalOf(given, named.value)])
  }
  // a run's answer does not say from where its regions are measured
  const read = await readDetail(api, found.id)
  if (!read.ok) return fail(world, options, read.failures)
  const { id, name, vantage } = read.value
  const run = await api.write(`Measuring ${showName(name)}`, (client) =>
    client.call('runCheck', { params: { id } }, world.signal),
  )
  if (!run.ok) return fail(world, options, run.failures)
  const { out, environment } = world
  if (options.json) writeJson(out, { version: 1, check: { id, name }, vantage, ...run.value })
  else writeLines(out, runReport(lookOf(out, environment), read.value, run.value))
  return 0
}

const severalOf = (given: string, checks: readonly { id: string }[]) => ({
  message: `${checks.length} checks are named ${showName(given)}: say which by its id.`,
  hint: checks.map(({ id }) => id).join(', '),
})

type RunAnswer = { readings: readonly StoredReading[]; unanswered: readonly string[] }

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

/** Each request of a journey where it lay in the run: `2 POST /login`, and `2.1` for its first redirect. */
const hopSpans = (hops: readonly HopTrace[]): Span[] =>
  hops.map(({ step, hop, method, url, httpStatus, startMs, latencyMs }) => ({
    label: `${step}${hop === 0 ? '' : `.${hop}`} ${method} ${pathOf(url)}`,
    startMs,
    lengthMs: latencyMs,
    value: `${httpStatus ?? none}  ${milliseconds(latencyMs)}`,
  }))

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)

/** What a check's type notes besides time and verdict, in a line; empty where nothing worth one. */
const readingNotes = (details: ReadingDetails | null): string => {
  if (details === null) return ''
  const names = details.names ?? null
  return [typeNotes(details), names === null ? '' : nameNotes(names)].filter(Boolean).join('; ')
}

/** Which name servers were asked about a name that was not resolved, and what each said. */
const nameNotes = ({ name, servers }: NameEvidence): string => {
  if (servers.length === 0) return `${name}: no name server was asked directly`
  return `${name}: ${servers.map((server) => `${server.name} ${server.answer}`).join(', ')}`
}

const typeNotes = (details: ReadingDetails): string => {
  switch (details.type) {
    case 'http':
    case 'multistep':
      return details.notes?.join(', ') ?? ''
    case 'tcp':
      return details.received === null ? '' : `received ${details.received}`
    case 'dns':
      return [
        ...(details.rcode === null ? [] : [details.rcode]),
        ...(details.ttlSeconds === null ? [] : [`TTL ${details.ttlSeconds} s`]),
        ...details.values,
      ].join(', ')
    case 'smtp':
      return [details.banner ?? '', details.tlsVersion ?? 'no TLS'].filter(Boolean).join(', ')
    case 'browser':
      return [
        ...(details.title === null ? [] : [details.title]),
        ...(details.lcpMs === null ? [] : [`largest paint ${milliseconds(details.lcpMs)}`]),
        count(details.requests, 'request'),
        count(details.consoleErrorCount, 'console error'),
      ].join(', ')
    default:
      details satisfies never
      return ''
  }
}
