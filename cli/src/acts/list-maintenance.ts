import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance'
import type { StatusPage } from '@probe-mesh/contracts/status-page'
import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Act, Keyed } from '../command-line/command-spec.ts'
import { showName } from '../plan/show-value.ts'
import { wrapWords } from '../show/fit-width.ts'
import { lookOf } from '../show/look.ts'
import type { Look } from '../show/look.ts'
import { count, duration, time } from '../show/measures.ts'
import { tableLines } from '../show/table.ts'
import type { Column } from '../show/table.ts'
import { writeLines } from '../terminal/world.ts'

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

type PageMaintenance = { page: StatusPage; window: MaintenanceWindow | null }

const columns: readonly Column[] = [
  { title: 'PAGE', min: 10 },
  { title: 'SINCE', spare: 3 },
  { title: 'UNTIL' },
  { title: 'ENDS IN', align: 'right', spare: 2 },
  { title: 'COVERS', spare: 1 },
  { title: 'TITLE', min: 12 },
]

/** What is under maintenance now. The API tells one window of a page: of several the one that ends last. */
export const maintenanceTable = (
  look: Look,
  read: readonly PageMaintenance[],
  nowMs: number,
): string[] => {
  const rows = read.flatMap(({ page, window }) =>
    window === null
      ? []
      : [
          [
            showName(page.name),
            time(window.startsAt),
            time(window.endsAt),
            duration((Date.parse(window.endsAt) - nowMs) / 1000),
            window.componentIds.length === 0
              ? 'the whole page'
              : count(window.componentIds.length, 'component'),
            window.title,
          ],
        ],
  )
  const pages = count(read.length, 'status page')
  if (rows.length === 0) return wrapWords(look, `No maintenance is under way on ${pages}.`)
  return [
    ...wrapWords(look, `Maintenance under way on ${rows.length} of ${pages}:`),
    '',
    ...tableLines(look, columns, rows),
  ]
}
