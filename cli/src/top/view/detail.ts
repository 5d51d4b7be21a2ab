import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { heldUntilMs, shownRegion, shownStatus } from '../model/freshness.ts'
import type { CheckRow } from '../model/state.ts'
import { showAge, showLatency, showShare, showTime } from './amounts.ts'
import type { Shown } from './header.ts'
import { cut, cutLine, padEnd, padStart, span } from './line.ts'
import type { Line } from './line.ts'
import { phaseHeadings, phaseLegend, phaseSpans, phasesMsMax } from './phases.ts'
import { regionTone, statusTone, words } from './symbols.ts'

/** The heading of the readings and two of them: with less room than that, the lines stand closer. */
const readingsLeast = 3

/** One check by itself: why it is what it is, each region with its phases, and its last readings. */
export const detailLines = (shown: Shown, row: CheckRow, height: number): Line[] => {
  const { state, symbols, width } = shown
  const above = [
    ...statusLines(shown, row),
    [],
    ...regionLines(shown, row),
    [],
    ...aboutLines(shown, row),
    [],
  ]
  const isTight = above.length + readingsLeast > height
  return [
    ...(isTight ? above.filter((line) => line.length > 0) : above),
    [span(`LAST READINGS${state.focus === null ? '' : ` of ${state.focus}`}`, 'dim')],
    ...readingLines(shown),
  ].map((line) => cutLine(line, width, symbols.more))
}

const statusLines = ({ state, symbols, width, nowMs }: Shown, row: CheckRow): Line[] => {
  const status = shownStatus(row, heldUntilMs(state, nowMs), nowMs)
  // what the API said of another status is no reason of this one
  const isTold = status === row.status
  const since =
    isTold && row.statusSinceMs !== null ? ` for ${showAge(nowMs - row.statusSinceMs)}` : ''
  const reason = isTold && row.statusReason !== null ? `: ${row.statusReason}` : ''
  return [
    [span(cut(row.name, width, symbols.more), 'strong')],
    [span(status, statusTone[status]), span(since), span(cut(reason, width, symbols.more))],
  ]
}

const aboutLines = ({ state, symbols, width, nowMs, hereMs }: Shown, row: CheckRow): Line[] => {
  const told = state.incidents.find(({ incident }) => incident.checkId === row.id)
  const read =
    row.detailedMs === null ? 'not read yet' : `read ${showAge(hereMs - row.detailedMs)} ago`
  return [
    [
      span(`${row.type} every ${showAge(row.intervalSeconds * 1000)}  `, 'dim'),
      span(cut(row.target ?? '', width, symbols.more)),
    ],
    [span(`a reading counts for ${showAge(row.staleAfterMs)}, details ${read}`, 'dim')],
    [span(uptimeText(row))],
    ...(row.heartbeat === null ? [] : [[span(heartbeatText(row.heartbeat, nowMs))]]),
    ...(told === undefined
      ? []
      : [
          [
            span(`incident ${told.update.status}: `, 'warn'),
            span(cut(told.incident.title, width, symbols.more)),
          ],
        ]),
  ]
}

const uptimeText = ({ uptime }: CheckRow): string =>
  uptime === null
    ? 'uptime not read yet'
    : `uptime  day ${showShare(uptime.day)}  week ${showShare(uptime.week)}  month ${showShare(uptime.month)}  quarter ${showShare(uptime.quarter)}`

const heartbeatText = (
  { state, lastPingAt }: NonNullable<CheckRow['heartbeat']>,
  nowMs: number,
): string => {
  const ping = lastPingAt === null ? 'never' : `${showAge(nowMs - Date.parse(lastPingAt))} ago`
  return `heartbeat ${state.replace('_', ' ')}, last ping ${ping}`
}

const regionLines = (shown: Shown, row: CheckRow): Line[] => {
  if (row.regions.length === 0) return [[span('It is measured in no region: it waits for pings.')]]
  const { focus } = shown.state
  const regions = row.regions.filter((region) => focus === null || focus === region)
  const most = phasesMsMax(row, regions)
  return [
    [
      span('REGION  STATUS      LATENCY     AGE  ', 'dim'),
      span(phaseHeadings(shown.width), 'dim'),
      span(phaseLegend(shown.width), 'dim'),
    ],
    ...regions.flatMap((region) => regionRow(shown, row, region, most)),
  ]
}

const regionRow = (shown: Shown, row: CheckRow, region: Region, most: number): Line[] => {
  const { symbols, nowMs, width } = shown
  const status = shownRegion(row, region, nowMs) ?? 'unknown'
  const seen = row.seen[region]
  const latency = seen?.latencyMs ?? null
  // of what does not count the past is shown as what it is
  const was = status === 'stale' && seen !== undefined ? `was ${seen.verdict}` : null
  // what the check's own reason says is not said again
  const own = seen?.reason ?? null
  const reason = own !== null && row.statusReason?.includes(own) === true ? null : own
  const why = [was, reason].filter((part) => part !== null).join(': ')
  const line: Line = [
    span(padEnd(region, 8)),
    span(padEnd(`${symbols.region[status]} ${words[status]}`, 10), regionTone[status]),
    span(padStart(latency === null ? '-' : showLatency(latency), 9)),
    span(padStart(seen === undefined ? '-' : showAge(nowMs - seen.measuredAtMs), 8), 'dim'),
    span('  '),
    ...(seen === undefined ? [] : phaseSpans(seen.timings, most, width)),
  ]
  return why === '' ? [line] : [line, [span(cut(`        ${why}`, width, symbols.more), 'dim')]]
}

const readingLines = (shown: Shown): Line[] => {
  const { opened, focus } = shown.state
  const readings = (opened?.readings ?? []).filter(
    ({ region }) => focus === null || focus === region,
  )
  if (readings.length > 0) return readings.map((reading) => readingLine(shown, reading))
  return [[span(opened?.readMs === null ? 'being read ...' : 'none yet', 'dim')]]
}

const readingLine = ({ symbols, width }: Shown, reading: StoredReading): Line => {
  const { verdict } = reading
  const status = verdict === 'unmeasured' ? 'unknown' : verdict
  const latency = reading.latencyMs === null ? '-' : showLatency(reading.latencyMs)
  const rest = [
    reading.httpStatus === null ? null : `HTTP ${reading.httpStatus}`,
    reading.kind === 'scheduled' ? null : reading.kind,
    reading.reason,
  ].filter((part) => part !== null)
  return [
    span(`${showTime(Date.parse(reading.measuredAt))} UTC  `),
    span(padEnd(reading.region, 5)),
    span(padEnd(`${symbols.region[status]} ${verdict}`, 13), regionTone[status]),
    span(padStart(latency, 9)),
    span(`  ${cut(rest.join(', '), width, symbols.more)}`),
  ]
}
