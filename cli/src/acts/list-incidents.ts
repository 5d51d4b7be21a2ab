import { IncidentsQuery } from '@probe-mesh/contracts/incident'
import type { Incident, IncidentStatus } from '@probe-mesh/contracts/incident'
import { fail, writeJson } from '../api/failure.ts'
import { readAllChecks } from '../api/named-checks.ts'
import { openApi } from '../api/open-api.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { showName } from '../plan/show-value.ts'
import { lookOf } from '../show/look.ts'
import type { Look } from '../show/look.ts'
import { duration, none, time } from '../show/measures.ts'
import { tableLines } from '../show/table.ts'
import type { Column, Style } from '../show/table.ts'
import { writeLines } from '../terminal/world.ts'

type IncidentsOptions = Keyed & { limit: string | undefined }

const limitDefault = '20'

/** The newest incidents, with the names of their checks, which the API has in a list of its own. */
export const listIncidents: Act<IncidentsOptions> = async (world, options) => {
  const query = IncidentsQuery.safeParse({ limit: options.limit ?? limitDefault })
  if (!query.success || options.limit?.trim() === '') {
    const message = `--limit: ${JSON.stringify(options.limit)} is no whole number from 1 to 500.`
    return fail(world, options, [{ message }])
  }
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  const { api } = opened
  const listed = await api.read('Reading the incidents', (client) =>
    client.call('listIncidents', { query: query.data }),
  )
  if (!listed.ok) return fail(world, options, listed.failures)
  const { incidents } = listed.value
  const { out, environment } = world
  if (options.json) {
    writeJson(out, { version: 1, incidents })
    return 0
  }
  const checks = await (incidents.length === 0
    ? { ok: true as const, value: [] }
    : readAllChecks(api))
  if (!checks.ok) return fail(world, options, checks.failures)
  const names = new Map(checks.value.map(({ id, name }) => [id, name]))
  writeLines(out, incidentTable(lookOf(out, environment), incidents, names, world.now()))
  return 0
}

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
