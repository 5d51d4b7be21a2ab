import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Act } from '../command-line/command-spec.ts'
import type { Keyed } from '../command-line/common-options.ts'
import { lookOf } from '../show/look.ts'
import { maintenanceTable } from '../show/maintenance-table.ts'
import type { PageMaintenance } from '../show/maintenance-table.ts'
import { writeLines } from './write-lines.ts'

/**
 * What is under maintenance now, a read for each status page.
 */
export const listMaintenance: Act<Keyed> = async (world, options) => {
  const opened = await openApi(world, options)
  if (!opened.ok) return fail(world, options, opened.failures)
  const { api } = opened
  const pages = await api.read('Reading the status pages', (client) =>
    client.call('listStatusPages', {}),
  )
  if (!pages.ok) return fail(world, options, pages.failures)
  const found: PageMaintenance[] = []
  for (const page of pages.value.statusPages) {
    const window = await api.read('Reading the maintenance', (client) =>
      client.call('getActiveMaintenance', { query: { statusPageId: page.id } }),
    )
    if (!window.ok) return fail(world, options, window.failures)
    found.push({ page, window: window.value })
  }
  const { out, environment } = world
  if (options.json) {
    const statusPages = found.map(({ page: { id, name, slug } }) => ({ id, name, slug }))
    writeJson(out, {
      version: 1,
      windows: found.flatMap(({ window }) => window ?? []),
      statusPages,
    })
  } else writeLines(out, maintenanceTable(lookOf(out, environment), found, world.now()))
  return 0
}
