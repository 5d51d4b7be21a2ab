import { IncidentsQuery } from '@probe-mesh/contracts/incident/incident'
import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Keyed } from '../command-line/common-options.ts'
import { incidentTable } from '../show/incident-table.ts'
import { lookOf } from '../show/look.ts'
import { readAllChecks } from './named-checks.ts'
import { writeLines } from './write-lines.ts'

export type IncidentsOptions = Keyed & { limit: string | undefined }

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
