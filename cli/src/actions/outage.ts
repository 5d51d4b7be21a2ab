import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import { fail, writeJson } from '../api/failure.ts'
import { boundedFetch } from '../api/open-api.ts'
import { requestWithRetry } from '../api/request.ts'
import { readApiUrl } from '../api/settings.ts'
import type { Action, ApiOptions } from '../command-line/command-spec.ts'
import { displayOf, type Display } from '../show/display.ts'
import { wrapWords } from '../show/fit-width.ts'
import { ago, duration, milliseconds, time } from '../show/measures.ts'
import { statusCell, statusLines, vantageLine, type StatusWord } from '../show/status-words.ts'
import { tableLines, type Column } from '../show/table.ts'
import { writeLines } from '../terminal/context.ts'

/** Whether a catalog service is down, without a key. Any answer exits 0. */
export const showOutage: Action<ApiOptions> = async (context, options, [service = '']) => {
  const url = readApiUrl(context, options)
  if (!url.ok) return fail(context, options, [url.failure])
  const { apiUrl } = url
  const request = { what: `Reading the status of ${service}`, apiUrl, quiet: options.json }
  const asked = await requestWithRetry(context, request, () =>
    getStatus(apiUrl, boundedFetch(context), service),
  )
  if (!asked.ok) return fail(context, options, asked.failures)
  const { out, environment } = context
  if (options.json) writeJson(out, { version: 1, ...asked.value })
  else writeLines(out, outageAnswer(displayOf(out, environment), asked.value, context.now()))
  return 0
}

/** @throws when the network fails, or the answer is neither JSON nor a problem */
const getStatus = async (
  apiUrl: string,
  send: typeof fetch,
  service: string,
): Promise<ApiAnswer<ServiceStatusAnswer>> => {
  const { path } = answerRoutes.isServiceDown
  const filled = path.replace(':slug', encodeURIComponent(service))
  const response = await send(`${apiUrl}${answersPath}${filled}`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
  })
  const { headers } = response
  const value: unknown = await response.json().catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new Error(`GET ${path} answered something that is not JSON`, { cause })
  })
  if (response.ok) return { ok: true, value: value as ServiceStatusAnswer, headers }
  const problem = Problem.safeParse(value)
  if (problem.success) return { ok: false, problem: problem.data, headers }
  throw new Error(`GET ${path} answered ${response.status} without a problem`)
}

const columns: readonly Column[] = [
  { title: 'REGION' },
  { title: 'STATUS' },
  { title: 'LATENCY', align: 'right' },
  { title: 'MEASURED', dropOrder: 1 },
]

/**
 * Whether a catalog service is down, with the evidence: the probed URLs, the regions actually read,
 * the time of measurement, its freshness, and a URL to cite.
 */
export const outageAnswer = (display: Display, answer: ServiceStatusAnswer, nowMs: number): string[] => {
  const { service, status, summary, regions, regionsRead, probes, vantage, url } = answer
  const head = [
    ...(service === null ? [] : wrapWords(display, service.name)),
    ...statusLines(display, standingOf(answer), '', service === null ? '' : '  '),
    ...wrapWords(display, summary, service === null ? '' : '  '),
  ]
  if (status === 'not_covered') return [...head, ...suggestions(display, answer)]
  const reasons = regions.flatMap(({ region, reason }) =>
    reason === null ? [] : wrapWords(display, reason, `${region}: `),
  )
  const rows = regions.map((one) => [
    one.region,
    statusCell(display, one.status),
    milliseconds(one.latencyMs),
    `${ago(one.measuredAt, nowMs)}${one.fresh || one.measuredAt === null ? '' : ', stale'}`,
  ])
  return [
    ...head,
    '',
    ...tableLines(display, columns, rows),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
    ...probes.flatMap((probe) => wrapWords(display, askedText(probe), 'Probed:       ')),
    ...wrapWords(display, regionsRead.length === 0 ? 'none' : regionsRead.join(', '), 'Regions read: '),
    ...wrapWords(display, freshnessOf(answer), 'Measured:     '),
    ...wrapWords(display, url, 'Cite:         '),
    ...wrapWords(display, vantageLine(vantage)),
  ]
}

/** Never claims more than the probes show; an older API does not report what they show. */
const standingOf = ({ status, shows, probes }: ServiceStatusAnswer): StatusWord => {
  if (status !== 'up' || probes.length === 0 || shows === 'works') return status
  return shows === 'edge' ? 'serves_a_file' : 'answers'
}

const shown: Readonly<Record<GradedProbe['grade'], string>> = {
  works: 'a good answer shows that it works as documented',
  answers: 'a good answer shows that it responds, not that all of it works',
  edge: 'a file at the edge, which says little about the service',
}

const askedText = ({ url, grade }: GradedProbe): string => `${url} (${shown[grade] ?? grade})`

const freshnessOf = ({ measuredAt, freshness }: ServiceStatusAnswer): string => {
  const { verdict, ageSeconds, staleAfterSeconds } = freshness
  const age = ageSeconds === null ? '' : `, ${duration(ageSeconds)} old`
  return measuredAt === null
    ? 'never'
    : `${time(measuredAt)}, ${verdict.replaceAll('_', ' ')}${age}; a measurement counts for ${duration(staleAfterSeconds)}`
}

const suggestions = (display: Display, { didYouMean }: ServiceStatusAnswer): string[] =>
  didYouMean.length === 0
    ? []
    : ['', ...didYouMean.flatMap((slug) => wrapWords(display, `probe-mesh outage ${slug}`, '  '))]
