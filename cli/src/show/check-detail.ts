import type { CheckDetail, RegionStatus, Uptime } from '@probe-mesh/contracts/check'
import type { Heartbeat } from '@probe-mesh/contracts/heartbeat'
import type { Run } from '@probe-mesh/contracts/run'
import { fullStatusReason } from '@probe-mesh/contracts/status-reason'
import { showName } from '../plan/show-value.ts'
import { paint } from '../terminal/paint.ts'
import { wrapWords } from './fit-width.ts'
import type { Look } from './look.ts'
import { ago, bareMs, count, duration, milliseconds, percent, timeAndAge } from './measures.ts'
import { phaseCells, phases } from './phases.ts'
import { statusCell, statusLines, vantageLine } from './status-words.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'

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

/** What a heartbeat check has besides: when pings are due, and the latest run. */
const heartbeatLines = (look: Look, heartbeat: Heartbeat, nowMs: number): string[] => {
  const { periodSeconds, graceSeconds, maxRuntimeSeconds, consecutiveFailures } = heartbeat
  const due = [
    periodSeconds === null ? 'pings by a cron schedule' : `a ping every ${duration(periodSeconds)}`,
    `${duration(graceSeconds)} of grace`,
    ...(maxRuntimeSeconds === null ? [] : [`runs of ${duration(maxRuntimeSeconds)} at most`]),
  ]
  const failed =
    consecutiveFailures === 0 ? '' : `, after ${count(consecutiveFailures, 'failure')} in a row`
  return [
    ...wrapWords(look, `${heartbeat.state.replaceAll('_', ' ')}${failed}`, 'State:      '),
    ...wrapWords(look, due.join(', '), 'Expected:   '),
    ...wrapWords(look, latest(heartbeat.latestRun, nowMs), 'Latest run: '),
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

/** Of more names it says how many there are. */
const namesMax = 5

/** When the certificates and the domain of a check's target expire, a line or more for each. */
export const expiryLines = (
  look: Look,
  { certificates = [], domain }: Pick<CheckDetail, 'certificates' | 'domain'>,
): string[] => [
  ...certificates.flatMap((certificate) => {
    const { nameCount, issuer, regions } = certificate
    const names = certificate.names.slice(0, namesMax)
    const more = nameCount > names.length ? ` and ${nameCount - names.length} more` : ''
    const shown = [
      whenText(certificate),
      ...(issuer === null ? [] : [`issued by ${issuer}`]),
      ...(names.length === 0 ? [] : [`for ${names.join(', ')}${more}`]),
      ...(certificates.length === 1 ? [] : [`shown in ${regions.join(', ')}`]),
    ]
    return wrapWords(look, shown.join('; '), 'Certificate: ')
  }),
  ...(domain === undefined
    ? []
    : wrapWords(
        look,
        [
          `${domain.name} ${whenText(domain)}`,
          ...(domain.registrar === null ? [] : [`registrar ${domain.registrar}`]),
        ].join('; '),
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
