import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Look } from './look.ts'
import { ago, duration, milliseconds, time } from './measures.ts'
import { statusCell, statusLines } from './status-words.ts'
import type { StatusWord } from './status-words.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'
import { vantageLine } from './vantage.ts'
import { wrapWords } from './wrap-words.ts'

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
