import { findComponents } from '../../records/status-page/components-store.ts'
import type { PublishedComponent } from '../../records/status-page/page-record.ts'
import { windowState, type WindowRecord } from '../../maintenance/window.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import type { PageContent } from '../describe-page.ts'
import { readOpenIncidents } from '../read-open-incidents.ts'
import { findWindowsToShow } from './public-pages-store.ts'

const windowsMax = 50

/** The content of every public document of a page. */
export type ReadContent = PageContent & {
  components: readonly PublishedComponent[]
  /** Those that are active now. */
  windows: readonly WindowRecord[]
  /** Scheduled, active and ended ones, up to a limit. */
  allWindows: readonly WindowRecord[]
}

export const readContent = async (
  db: Connection,
  statusPageId: string,
  now: () => number,
): Promise<ReadContent> => {
  const [components, allWindows, incidents] = await Promise.all([
    findComponents(db, [statusPageId]),
    findWindowsToShow(db, statusPageId, windowsMax),
    readOpenIncidents(db, [statusPageId]),
  ])
  const nowMs = now()
  const windows = allWindows.filter((window) => windowState(window, nowMs) === 'active')
  return { components, windows, allWindows, incidents }
}
