import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { showName } from '../plan/show-value.ts'
import type { Look } from './look.ts'
import { count, duration, time } from './measures.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'
import { wrapWords } from './wrap-words.ts'

export type PageMaintenance = { page: StatusPage; window: MaintenanceWindow | null }

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
