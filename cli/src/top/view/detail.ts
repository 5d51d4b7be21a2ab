import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Timings } from '@probe-mesh/contracts/reading/reading-details'
import { phases } from '../../show/phases.ts'
import { knownUntilMs, shownRegion, shownStatus } from '../model/freshness.ts'
import type { CheckRow } from '../model/state.ts'
import { showAge, showLatency, showShare, showTime } from './amounts.ts'
import type { Shown } from './header.ts'
import { cut, cutLine, padEnd, padStart, span, type Line } from './line.ts'
import { regionTone, statusTone, words } from './symbols.ts'

/** The letter that fills the part of the phase in the bar. */
const letters: Readonly<Record<(typeof phases)[number]['name'], string>> = {
  dns: 'd',
  connect: 'c',
  tls: 's',
  ttfb: 'w',
  transfer: 't',
}

/** From this width, phases also show numbers. */
const numbersFrom = 120
const numberColumns = 10
const barColumns = { least: 10, most: 60, before: 37 }

const phaseLegend = (width: number): string =>
  width < 80 ? 'd c s w t' : 'd dns  c connect  s tls  w ttfb  t transfer'

const phaseHeadings = (width: number): string =>
  width < numbersFrom ? '' : `${phases.map(({ name }) => padStart(name, numberColumns)).join('')}  `

/** The longest total of some regions, which fills the bar. */
const phasesMsMax = (row: CheckRow, regions: readonly Region[]): number =>
  Math.max(
    1,
    ...regions.map((region) => {
      const result = row.results[region]
      return result === undefined ? 0 : wholeOf(result.timings)
    }),
  )

const wholeOf = (timings: Timings): number => phases.reduce((sum, { key }) => sum + (timings[key] ?? 0), 0)

/** A bar of the phases in sequence, scaled to the longest total. */
const phaseSpans = (timings: Timings, longestMs: number, width: number): Line => {
  const hasNumbers = width >= numbersFrom
  const before = barColumns.before + (hasNumbers ? phases.length * numberColumns + 2 : 0)
  const columns = Math.max(barColumns.least, Math.min(barColumns.most, width - before))
  let passedMs = 0
  let drawn = 0
  const bar = phases
    .map(({ name, key }) => {
      passedMs += timings[key] ?? 0
      const until = Math.round((passedMs / longestMs) * columns)
      // a phase that took any time is visible
      const length = timings[key] === null ? 0 : Math.max(until - drawn, passedMs > 0 ? 1 : 0)
      const fitting = Math.min(length, columns - drawn)
      drawn += fitting
      return letters[name].repeat(Math.max(0, fitting))
    })
    .join('')
  const numbers = phases.map(({ key }) => padStart(showPhase(timings[key]), numberColumns))
  return [...(hasNumbers ? [span(`${numbers.join('')}  `)] : []), span(bar)]
}

const showPhase = (ms: number | null): string => (ms === null ? '-' : `${ms.toFixed(1)} ms`)

/** The heading of the readings and two of them: with less room, blank lines are dropped. */
const readingsLeast = 3

/** One check: its reason, each region with its phases, and its last readings. */
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
  const status = shownStatus(row, knownUntilMs(state, nowMs), nowMs)
  // the API's reason explains the API's status only
  const isTold = status === row.status
  const since = isTold && row.statusSinceMs !== null ? ` for ${showAge(nowMs - row.statusSinceMs)}` : ''
  const reason = isTold && row.statusReason !== null ? `: ${row.statusReason}` : ''
  return [
    [span(cut(row.name, width, symbols.more), 'strong')],
    [span(status, statusTone[status]), span(since), span(cut(reason, width, symbols.more))],
  ]
}

const aboutLines = ({ state, symbols, width, nowMs, localMs }: Shown, row: CheckRow): Line[] => {
  const incident = state.incidents.find(({ incident }) => incident.checkId === row.id)
  const read = row.detailedMs === null ? 'loading' : `read ${showAge(localMs - row.detailedMs)} ago`
  return [
    [
      span(`${row.type} every ${showAge(row.intervalSeconds * 1000)}  `, 'dim'),
      span(cut(row.target ?? '', width, symbols.more)),
    ],
    [span(`a reading counts for ${showAge(row.staleAfterMs)}, details ${read}`, 'dim')],
    [span(uptimeText(row))],
    ...(row.heartbeat === null ? [] : [[span(heartbeatText(row.heartbeat, nowMs))]]),
    ...(incident === undefined
      ? []
      : [
          [
            span(`incident ${incident.update.status}: `, 'warn'),
            span(cut(incident.incident.title, width, symbols.more)),
          ],
        ]),
  ]
}

const uptimeText = ({ uptime }: CheckRow): string =>
  uptime === null
    ? 'uptime loading'
    : `uptime  day ${showShare(uptime.day)}  week ${showShare(uptime.week)}  month ${showShare(uptime.month)}  quarter ${showShare(uptime.quarter)}`

const heartbeatText = ({ state, lastPingAt }: NonNullable<CheckRow['heartbeat']>, nowMs: number): string => {
  const ping = lastPingAt === null ? 'never' : `${showAge(nowMs - Date.parse(lastPingAt))} ago`
  return `heartbeat ${state.replace('_', ' ')}, last ping ${ping}`
}

const regionLines = (shown: Shown, row: CheckRow): Line[] => {
  if (row.regions.length === 0) return [[span('No region measures this check: it waits for pings.')]]
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
  const result = row.results[region]
  const latency = result?.latencyMs ?? null
  // a stale region shows its last result as past
  const was = status === 'stale' && result !== undefined ? `was ${result.verdict}` : null
  // does not repeat the check's own reason
  const own = result?.reason ?? null
  const reason = own !== null && row.statusReason?.includes(own) === true ? null : own
  const why = [was, reason].filter((part) => part !== null).join(': ')
  const line: Line = [
    span(padEnd(region, 8)),
    span(padEnd(`${symbols.region[status]} ${words[status]}`, 10), regionTone[status]),
    span(padStart(latency === null ? '-' : showLatency(latency), 9)),
    span(padStart(result === undefined ? '-' : showAge(nowMs - result.measuredAtMs), 8), 'dim'),
    span('  '),
    ...(result === undefined ? [] : phaseSpans(result.timings, most, width)),
  ]
  return why === '' ? [line] : [line, [span(cut(`        ${why}`, width, symbols.more), 'dim')]]
}

const readingLines = (shown: Shown): Line[] => {
  const { opened, focus } = shown.state
  const readings = (opened?.readings ?? []).filter(({ region }) => focus === null || focus === region)
  if (readings.length > 0) return readings.map((reading) => readingLine(shown, reading))
  return [[span(opened?.readMs === null ? 'loading ...' : 'none yet', 'dim')]]
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
