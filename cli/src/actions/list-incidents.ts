import { IncidentsQuery, type Incident, type IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { fail, writeJson } from '../api/failure.ts'
import { readAllChecks } from '../api/named-checks.ts'
import { openApi } from '../api/open-api.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { showName } from '../plan/show-value.ts'
import { displayOf, type Display } from '../show/display.ts'
import { duration, none, time } from '../show/measures.ts'
import { tableLines, type Column, type Style } from '../show/table.ts'
import { writeLines } from '../terminal/context.ts'

type IncidentsOptions = KeyOptions & { limit: string | undefined }

const limitDefault = '20'

/** The newest incidents with the names of their checks, which need a second request. */
export const listIncidents: Action<IncidentsOptions> = async (context, options) => {
  const query = IncidentsQuery.safeParse({ limit: options.limit ?? limitDefault })
  if (!query.success || options.limit?.trim() === '') {
    const message = `--limit: ${JSON.stringify(options.limit)} is not a whole number from 1 to 500.`
    return fail(context, options, [{ message }])
  }
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const { api } = opened
  const listed = await api.read('Reading the incidents', (client) =>
    client.call('listIncidents', { query: query.data }),
  )
  if (!listed.ok) return fail(context, options, listed.failures)
  const { incidents } = listed.value
  const { out, environment } = context
  if (options.json) {
    writeJson(out, { version: 1, incidents })
    return 0
  }
  const checks = await (incidents.length === 0 ? { ok: true as const, value: [] } : readAllChecks(api))
  if (!checks.ok) return fail(context, options, checks.failures)
  const names = new Map(checks.value.map(({ id, name }) => [id, name]))
  writeLines(out, incidentTable(displayOf(out, environment), incidents, names, context.now()))
  return 0
}

const columns: readonly Column[] = [
  { title: 'STATUS' },
  { title: 'STARTED', min: 20 },
  { title: 'LASTED', align: 'right', dropOrder: 1 },
  { title: 'REGION', dropOrder: 2 },
  { title: 'CHECK', min: 10, dropOrder: 1 },
  { title: 'TITLE', min: 12 },
]

const styles: Readonly<Record<IncidentStatus, Style>> = {
  investigating: 'red',
  identified: 'yellow',
  monitoring: 'cyan',
  resolved: 'green',
}

/**
 * Incidents newest first, as the API lists them; the duration of an open one is `so far`.
 * @param names names of the account's checks by id
 */
export const incidentTable = (
  display: Display,
  incidents: readonly Incident[],
  names: ReadonlyMap<string, string>,
  nowMs: number,
): string[] => {
  if (incidents.length === 0) return ['No incidents.']
  const rows = incidents.map(({ status, startedAt, resolvedAt, region, checkId, title }) => [
    { text: status, style: styles[status] ?? 'dim' },
    time(startedAt),
    lasted(startedAt, resolvedAt, nowMs),
    region ?? none,
    showName(names.get(checkId) ?? checkId),
    title,
  ])
  return tableLines(display, columns, rows)
}

const lasted = (startedAt: string, resolvedAt: string | null, nowMs: number): string => {
  const endMs = resolvedAt === null ? nowMs : Date.parse(resolvedAt)
  return `${duration((endMs - Date.parse(startedAt)) / 1000)}${resolvedAt === null ? ' so far' : ''}`
}
