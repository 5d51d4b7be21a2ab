import type { CheckDetail, RegionStatus, Uptime } from '@probe-mesh/contracts/check/check'
import { fullStatusReason } from '@probe-mesh/contracts/check/status-reason'
import { showName } from '../plan/show-value.ts'
import { paint } from '../terminal/paint.ts'
import { expiryLines } from './expiry-lines.ts'
import { heartbeatLines } from './heartbeat-lines.ts'
import type { Look } from './look.ts'
import { ago, bareMs, duration, percent, timeAndAge } from './measures.ts'
import { phaseCells, phases } from './phases.ts'
import { statusCell, statusLines } from './status-words.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'
import { vantageLine } from './vantage.ts'
import { wrapWords } from './wrap-words.ts'

const indent = '  '

const columns: readonly Column[] = [
  { title: 'REGION' },
  { title: 'STATUS' },
  { title: 'MEASURED' },
  { title: 'LATENCY', align: 'right' },
  ...phases.map(({ name }): Column => ({ title: name.toUpperCase(), align: 'right', spare: 1 })),
]

/** One check as it stands: why, in which region, how old that is, and its uptime. */
export const checkDetail = (look: Look, check: CheckDetail, nowMs: number): string[] => {
  const { regionStatuses, heartbeat, uptime } = check
  const reason = fullStatusReason(check)
  return [
    ...wrapWords(look, showName(check.name)).map((line) => paint(look, 'bold', line)),
    ...statusLines(look, check.paused ? 'paused' : check.status, sinceText(check, nowMs), indent),
    ...(reason === null ? [] : wrapWords(look, reason, indent)),
    ...wrapWords(look, describe(check), indent),
    ...wrapWords(look, `id ${check.id}`, indent),
    '',
    ...(heartbeat === undefined
      ? regionLines(look, regionStatuses, nowMs)
      : heartbeatLines(look, heartbeat, nowMs)),
    '',
    ...expiryLines(look, check),
    ...wrapWords(look, uptimeText(uptime), 'Uptime: '),
    ...wrapWords(look, freshness(check, nowMs)),
    ...(heartbeat === undefined ? wrapWords(look, vantageLine(check.vantage)) : []),
  ]
}

const sinceText = ({ paused, status, statusSince }: CheckDetail, nowMs: number): string =>
  `${paused ? `, was ${status}` : ''}${statusSince === null ? '' : ` since ${timeAndAge(statusSince, nowMs)}`}`

const describe = ({ type, url, target, intervalSeconds }: CheckDetail): string => {
  const what = [type, ...[url ?? target ?? []].flat()].join(' ')
  return type === 'heartbeat' ? what : `${what}, every ${duration(intervalSeconds)}`
}

const regionLines = (look: Look, statuses: readonly RegionStatus[], nowMs: number): string[] => {
  if (statuses.length === 0) return ['No region measures it.']
  const rows = statuses.map((one) => [
    one.region,
    statusCell(look, one.status),
    ago(one.measuredAt, nowMs),
    bareMs(one.latencyMs),
    ...phaseCells(one.timings),
  ])
  const reasons = statuses.flatMap(({ region, reason }) =>
    reason === null ? [] : wrapWords(look, reason, `${region}: `),
  )
  return [...tableLines(look, columns, rows), ...(reasons.length > 0 ? ['', ...reasons] : [])]
}

const uptimeText = ({ day, week, month, quarter }: Uptime): string =>
  `1 day ${percent(day)}, 7 days ${percent(week)}, 30 days ${percent(month)}, 90 days ${percent(quarter)}`

const freshness = (check: CheckDetail, nowMs: number): string => {
  const { measuredAt, staleAfterSeconds, heartbeat } = check
  if (heartbeat !== undefined) return `Newest ping: ${timeAndAge(heartbeat.lastPingAt, nowMs)}.`
  return measuredAt === null
    ? 'Nothing has been measured yet.'
    : `Newest reading: ${timeAndAge(measuredAt, nowMs)}; one counts for ${duration(staleAfterSeconds)}. Latency and phases are in ms.`
}
