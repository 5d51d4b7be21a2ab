import type { ServiceStatusAnswer } from '@probe-mesh/contracts/answers'
import type { GradedProbe } from '@probe-mesh/contracts/catalog-grade'
import type { ApiAnswer } from '@probe-mesh/contracts/client'
import { Problem } from '@probe-mesh/contracts/refusal'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/routes/answer-routes'
import type {
  AnswerOutput,
  AnswerRoute,
  AnswerRouteName,
} from '@probe-mesh/contracts/routes/answer-routes'
import { askPatiently } from '../api/ask.ts'
import { fail, writeJson } from '../api/failure.ts'
import { boundedFetch } from '../api/open-api.ts'
import { readApiUrl } from '../api/settings.ts'
import type { Act, Calling } from '../command-line/command-spec.ts'
import { wrapWords } from '../show/fit-width.ts'
import { lookOf } from '../show/look.ts'
import type { Look } from '../show/look.ts'
import { ago, duration, milliseconds, time } from '../show/measures.ts'
import { statusCell, statusLines, vantageLine } from '../show/status-words.ts'
import type { StatusWord } from '../show/status-words.ts'
import { tableLines } from '../show/table.ts'
import type { Column } from '../show/table.ts'
import { writeLines } from '../terminal/world.ts'

/**
 * Whether a catalog service is down, asked without a key. An answer is an answer whatever it says:
 * it exits 0 also where the service is down or not covered.
 */
export const askOutage: Act<Calling> = async (world, options, [service = '']) => {
  const url = readApiUrl(world, options)
  if (!url.ok) return fail(world, options, [url.failure])
  const { apiUrl } = url
  const asking = { what: `Asking for ${service}`, apiUrl, quiet: options.json }
  const asked = await askPatiently(world, asking, () =>
    getAnswer({ apiUrl, fetch: boundedFetch(world) }, 'isServiceDown', { slug: service }),
  )
  if (!asked.ok) return fail(world, options, asked.failures)
  const { out, environment } = world
  if (options.json) writeJson(out, { version: 1, ...asked.value })
  else writeLines(out, outageAnswer(lookOf(out, environment), asked.value, world.now()))
  return 0
}

/**
 * Asks a keyless answer: no key is sent, and there is none to send.
 * @param params what the route's path names, such as `slug`
 * @throws when the network fails, or the answer is neither JSON nor a problem
 */
const getAnswer = async <N extends AnswerRouteName>(
  { apiUrl, fetch: send }: { apiUrl: string; fetch: typeof fetch },
  name: N,
  params: Readonly<Record<string, string>>,
): Promise<ApiAnswer<AnswerOutput<N>>> => {
  const { path }: AnswerRoute = answerRoutes[name]
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
  const response = await send(`${apiUrl}${answersPath}${filled}`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
  })
  const { headers } = response
  const value = toJson(await response.text(), path)
  if (response.ok) return { ok: true, value: value as never, headers }
  const problem = Problem.safeParse(value)
  if (problem.success) return { ok: false, problem: problem.data, headers }
  throw new Error(`GET ${path} answered ${response.status} without a problem`)
}

const toJson = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`GET ${path} answered something that is not JSON`, { cause })
  }
}

const columns: readonly Column[] = [
  { title: 'REGION' },
  { title: 'STATUS' },
  { title: 'LATENCY', align: 'right' },
  { title: 'MEASURED', spare: 1 },
]

/**
 * Whether a catalog service is down, with what that stands on: what was asked, "the regions actually read, a
 * measurement timestamp, an explicit freshness, and a URL to cite" (specification, Honesty rules).
 */
export const outageAnswer = (look: Look, answer: ServiceStatusAnswer, nowMs: number): string[] => {
  const { service, status, summary, regions, regionsRead, probes, vantage, url } = answer
  const head = [
    ...(service === null ? [] : wrapWords(look, service.name)),
    ...statusLines(look, standingOf(answer), '', service === null ? '' : '  '),
    ...wrapWords(look, summary, service === null ? '' : '  '),
  ]
  if (status === 'not_covered') return [...head, ...suggestions(look, answer)]
  const reasons = regions.flatMap(({ region, reason }) =>
    reason === null ? [] : wrapWords(look, reason, `${region}: `),
  )
  const rows = regions.map((one) => [
    one.region,
    statusCell(look, one.status),
    milliseconds(one.latencyMs),
    `${ago(one.measuredAt, nowMs)}${one.fresh || one.measuredAt === null ? '' : ', stale'}`,
  ])
  return [
    ...head,
    '',
    ...tableLines(look, columns, rows),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
    ...probes.flatMap((probe) => wrapWords(look, askedText(probe), 'Asked:        ')),
    ...wrapWords(
      look,
      regionsRead.length === 0 ? 'none' : regionsRead.join(', '),
      'Regions read: ',
    ),
    ...wrapWords(look, freshnessOf(answer), 'Measured:     '),
    ...wrapWords(look, url, 'Cite:         '),
    ...wrapWords(look, vantageLine(vantage)),
  ]
}

/** What is up, said no stronger than its probes show; an older API does not say what they show. */
const standingOf = ({ status, shows, probes }: ServiceStatusAnswer): StatusWord => {
  if (status !== 'up' || probes.length === 0 || shows === 'works') return status
  return shows === 'edge' ? 'serves_a_file' : 'answers'
}

const shown: Readonly<Record<GradedProbe['grade'], string>> = {
  works: 'it works as documented where this is good',
  answers: 'it answers, which does not show that all of it works',
  edge: 'a file at the edge, which says little of the service',
}

const askedText = ({ url, grade }: GradedProbe): string => `${url} (${shown[grade] ?? grade})`

const freshnessOf = ({ measuredAt, freshness }: ServiceStatusAnswer): string => {
  const { verdict, ageSeconds, staleAfterSeconds } = freshness
  const age = ageSeconds === null ? '' : `, ${duration(ageSeconds)} old`
  return measuredAt === null
    ? 'never'
    : `${time(measuredAt)}, ${verdict.replaceAll('_', ' ')}${age}; a measurement counts for ${duration(staleAfterSeconds)}`
}

const suggestions = (look: Look, { didYouMean }: ServiceStatusAnswer): string[] =>
  didYouMean.length === 0
    ? []
    : ['', ...didYouMean.flatMap((slug) => wrapWords(look, `service outage ${slug}`, '  '))]
