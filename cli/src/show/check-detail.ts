import {
  fullStatusReason,
  type CheckDetail,
  type RegionStatus,
  type Uptime,
} from '@probe-mesh/contracts/check/check'
import { uptimeOfAge } from '@probe-mesh/contracts/check/uptime-by-age'
import type { Heartbeat, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { count, showName } from '../plan/show-value.ts'
import { paint } from '../terminal/paint.ts'
import type { Display } from './display.ts'
import { wrapWords } from './fit-width.ts'
import { ago, bareMs, duration, milliseconds, percent, timeAndAge } from './measures.ts'
import { restMsOf } from '@probe-mesh/contracts/reading/reading-details'
import { phaseCells, phases } from './phases.ts'
import { statusCell, statusLines, vantageLine } from './status-words.ts'
import { tableLines, type Column } from './table.ts'

const indent = '  '

const columnsOf = (names: readonly string[]): readonly Column[] => [
  { title: 'REGION' },
  { title: 'STATUS' },
  { title: 'MEASURED' },
  { title: 'LATENCY', align: 'right' },
  ...names.map((name): Column => ({
    title: name.toUpperCase(),
    align: 'right',
    dropOrder: 1,
  })),
]

/** The state of one check: reasons, regions, ages and uptime. */
export const checkDetail = (display: Display, check: CheckDetail, nowMs: number): string[] => {
  const { regionStatuses, heartbeat } = check
  const uptime = uptimeOfAge(check.uptime, check.createdAt, nowMs)
  const reason = fullStatusReason(check)
  return [
    ...wrapWords(display, showName(check.name)).map((line) => paint(display, 'bold', line)),
    ...statusLines(display, check.paused ? 'paused' : check.status, sinceText(check, nowMs), indent),
    ...(reason === null ? [] : wrapWords(display, reason, indent)),
    ...wrapWords(display, describe(check), indent),
    ...wrapWords(display, `id ${check.id}`, indent),
    '',
    ...(heartbeat === undefined
      ? regionLines(display, regionStatuses, nowMs)
      : heartbeatLines(display, heartbeat, nowMs)),
    '',
    ...expiryLines(display, check),
    ...wrapWords(display, uptimeText(uptime), 'Uptime: '),
    ...wrapWords(display, freshness(check, nowMs)),
    ...(heartbeat === undefined ? wrapWords(display, vantageLine(check.vantage)) : []),
  ]
}

const sinceText = ({ paused, statusSince }: CheckDetail, nowMs: number): string =>
  paused || statusSince === null ? '' : ` since ${timeAndAge(statusSince, nowMs)}`

const describe = ({ type, url, target, intervalSeconds }: CheckDetail): string => {
  const what = [type, ...[url ?? target ?? []].flat()].join(' ')
  return type === 'heartbeat' ? what : `${what}, every ${duration(intervalSeconds)}`
}

const regionLines = (display: Display, statuses: readonly RegionStatus[], nowMs: number): string[] => {
  if (statuses.length === 0) return ['No region measures this check.']
  const hasOther = statuses.some(({ timings, latencyMs }) => restMsOf(timings, latencyMs) !== null)
  const columns = columnsOf([...phases.map(({ name }) => name), ...(hasOther ? ['other'] : [])])
  const rows = statuses.map((one) => [
    one.region,
    statusCell(display, one.status),
    ago(one.measuredAt, nowMs),
    bareMs(one.latencyMs),
    ...phaseCells(one.timings),
    ...(hasOther ? [bareMs(restMsOf(one.timings, one.latencyMs))] : []),
  ])
  const reasons = statuses.flatMap(({ region, reason }) =>
    reason === null ? [] : wrapWords(display, reason, `${region}: `),
  )
  return [...tableLines(display, columns, rows), ...(reasons.length > 0 ? ['', ...reasons] : [])]
}

const uptimeText = ({ day, week, month, quarter }: Uptime): string =>
  `1 day ${percent(day)}, 7 days ${percent(week)}, 30 days ${percent(month)}, 90 days ${percent(quarter)}`

const freshness = (check: CheckDetail, nowMs: number): string => {
  const { measuredAt, staleAfterSeconds, heartbeat } = check
  if (heartbeat !== undefined) return `Newest ping: ${timeAndAge(heartbeat.lastPingAt, nowMs)}.`
  return measuredAt === null
    ? 'Nothing has been measured yet.'
    : `Newest reading: ${timeAndAge(measuredAt, nowMs)}; a reading counts for ${duration(staleAfterSeconds)}. Latency and phases are in ms.`
}

/** The additional lines of a heartbeat check: its schedule and latest run. */
const heartbeatLines = (display: Display, heartbeat: Heartbeat, nowMs: number): string[] => {
  const { periodSeconds, graceSeconds, maxRuntimeSeconds, consecutiveFailures } = heartbeat
  const due = [
    periodSeconds === null ? 'pings on a cron schedule' : `a ping every ${duration(periodSeconds)}`,
    `${duration(graceSeconds)} of grace`,
    ...(maxRuntimeSeconds === null ? [] : [`runs of ${duration(maxRuntimeSeconds)} at most`]),
  ]
  const failed = consecutiveFailures === 0 ? '' : `, after ${count(consecutiveFailures, 'failure')} in a row`
  return [
    ...wrapWords(display, `${heartbeat.state.replaceAll('_', ' ')}${failed}`, 'State:      '),
    ...wrapWords(display, due.join(', '), 'Expected:   '),
    ...wrapWords(display, latest(heartbeat.latestRun, nowMs), 'Latest run: '),
  ]
}

const latest = (run: Run | null, nowMs: number): string => {
  if (run === null) return 'none yet'
  const { outcome, startedAt, finishedAt, durationMs, stuck, exitCode, message } = run
  return [
    `${outcome}${stuck && outcome !== 'stuck' ? ' (was stuck)' : ''}`,
    ...(startedAt === null ? [] : [`started ${timeAndAge(startedAt, nowMs)}`]),
    ...(finishedAt === null ? [] : [`ended ${timeAndAge(finishedAt, nowMs)}`]),
    ...(durationMs === null ? [] : [`took ${tookText(durationMs)}`]),
    ...(exitCode === null ? [] : [`exit code ${exitCode}`]),
    ...(message === null ? [] : [message]),
  ].join(', ')
}

const tookText = (ms: number): string => (ms < 10_000 ? milliseconds(ms) : duration(ms / 1000))

/** Beyond this, only the number of names is shown. */
const namesMax = 5

/** When the certificates and the domain of the target expire, with a line or more for each. */
export const expiryLines = (
  display: Display,
  {
    certificates = [],
    domain,
    domainUnknown,
  }: Pick<CheckDetail, 'certificates' | 'domain' | 'domainUnknown'>,
): string[] => [
  ...certificates.flatMap((certificate) => {
    const { nameCount, issuer, regions, endsWith = null } = certificate
    const names = certificate.names.slice(0, namesMax)
    const more = nameCount > names.length ? ` and ${nameCount - names.length} more` : ''
    const shown = [
      whenText(certificate),
      ...(endsWith === null ? [] : [`with ${endsWith} above it`]),
      ...(issuer === null ? [] : [`issued by ${issuer}`]),
      ...(names.length === 0 ? [] : [`for ${names.join(', ')}${more}`]),
      ...(certificates.length === 1 ? [] : [`shown in ${regions.join(', ')}`]),
    ]
    return wrapWords(display, shown.join('; '), 'Certificate: ')
  }),
  ...(domain === undefined
    ? []
    : wrapWords(
        display,
        [
          `${domain.name} ${whenText(domain)}`,
          ...(domain.registrar === null ? [] : [`registrar ${domain.registrar}`]),
        ].join('; '),
        'Domain: ',
      )),
  ...((domainUnknown?.name ?? null) === null
    ? []
    : wrapWords(
        display,
        `${domainUnknown?.name} expires at an unknown time: ${domainUnknown?.reason}`,
        'Domain: ',
      )),
]

/** `expires in 6 days (2026-11-26)`. */
const whenText = ({ expiresAt, daysLeft }: { expiresAt: string; daysLeft: number }): string => {
  const day = expiresAt.slice(0, 10)
  if (daysLeft < 0) return `expired on ${day}`
  if (daysLeft === 0) return `expires in less than a day (${day})`
  return `expires in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'} (${day})`
}
