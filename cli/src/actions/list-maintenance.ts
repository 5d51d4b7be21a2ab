import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { fail, writeJson } from '../api/failure.ts'
import { openApi } from '../api/open-api.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { count, showName } from '../plan/show-value.ts'
import { displayOf, type Display } from '../show/display.ts'
import { wrapWords } from '../show/fit-width.ts'
import { duration, time } from '../show/measures.ts'
import { tableLines, type Column } from '../show/table.ts'
import { writeLines } from '../terminal/context.ts'

/** Active maintenance, with one request for each status page. */
export const listMaintenance: Action<KeyOptions> = async (context, options) => {
  const opened = await openApi(context, options)
  if (!opened.ok) return fail(context, options, opened.failures)
  const { api } = opened
  const pages = await api.read('Reading the status pages', (client) => client.call('listStatusPages', {}))
  if (!pages.ok) return fail(context, options, pages.failures)
  const found: PageMaintenance[] = []
  for (const page of pages.value.statusPages) {
    const window = await api.read('Reading the maintenance', (client) =>
      client.call('getActiveMaintenance', { query: { statusPageId: page.id } }),
    )
    if (!window.ok) return fail(context, options, window.failures)
    found.push({ page, window: window.value })
  }
  const { out, environment } = context
  if (options.json) {
    const statusPages = found.map(({ page: { id, name, slug } }) => ({ id, name, slug }))
    writeJson(out, {
      version: 1,
      windows: found.flatMap(({ window }) => window ?? []),
      statusPages,
    })
  } else writeLines(out, maintenanceTable(displayOf(out, environment), found, context.now()))
  return 0
}

type PageMaintenance = { page: StatusPage; window: MaintenanceWindow | null }

const columns: readonly Column[] = [
  { title: 'PAGE', min: 10 },
  { title: 'SINCE', dropOrder: 3 },
  { title: 'UNTIL' },
  { title: 'ENDS IN', align: 'right', dropOrder: 2 },
  { title: 'COVERS', dropOrder: 1 },
  { title: 'TITLE', min: 12 },
]

/** The API returns one window per page: of several, the one that ends last. */
export const maintenanceTable = (
  display: Display,
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
  if (rows.length === 0) return wrapWords(display, `No maintenance is active on ${pages}.`)
  return [
    ...wrapWords(display, `Active maintenance on ${rows.length} of ${pages}:`),
    '',
    ...tableLines(display, columns, rows),
  ]
}
