import type { Incident, IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { showName } from '../plan/show-value.ts'
import type { Look } from './look.ts'
import { duration, none, time } from './measures.ts'
import { tableLines } from './table.ts'
import type { Column, Style } from './table.ts'

const columns: readonly Column[] = [
  { title: 'STATUS' },
  { title: 'STARTED', min: 20 },
  { title: 'LASTED', align: 'right', spare: 1 },
  { title: 'REGION', spare: 2 },
  { title: 'CHECK', min: 10, spare: 1 },
  { title: 'TITLE', min: 12 },
]

const styles: Readonly<Record<IncidentStatus, Style>> = {
  investigating: 'red',
  identified: 'yellow',
  monitoring: 'cyan',
  resolved: 'green',
}

/**
 * Incidents as the API lists them, newest first; how long one lasts that is not over is `so far`.
 * @param names of the account's checks, by id
 */
export const incidentTable = (
  look: Look,
  incidents: readonly Incident[],
  names: ReadonlyMap<string, string>,
  nowMs: number,
): string[] => {
  if (incidents.length === 0) return ['There are no incidents.']
  const rows = incidents.map(({ status, startedAt, resolvedAt, region, checkId, title }) => [
    { text: status, style: styles[status] ?? 'dim' },
    time(startedAt),
    lasted(startedAt, resolvedAt, nowMs),
    region ?? none,
    showName(names.get(checkId) ?? checkId),
    title,
  ])
  return tableLines(look, columns, rows)
}

const lasted = (startedAt: string, resolvedAt: string | null, nowMs: number): string => {
  const endMs = resolvedAt === null ? nowMs : Date.parse(resolvedAt)
  return `${duration((endMs - Date.parse(startedAt)) / 1000)}${resolvedAt === null ? ' so far' : ''}`
}
