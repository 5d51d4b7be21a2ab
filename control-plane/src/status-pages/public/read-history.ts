import { findPausedSpans } from '../../records/check/check-revisions-store.ts'
import { historyDays, type PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import { statusEvidence } from '../../checks/status-evidence.ts'
import { historyOf, lastDays } from '../day-history.ts'
import type { PublishedComponent } from '../../records/status-page/page-record.ts'
import { coversComponent } from '../../maintenance/window.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import { findHeartbeatWatch } from '../../heartbeats/heartbeat-watch-store.ts'
import { findFlipsOfChecks } from '../../status/flips-store.ts'
import { findIncidentSpans, findMaintenanceSpans } from './public-pages-store.ts'
import type { Span } from '../../status/spans.ts'

/** Components of one page that get a history, to bound the size of the document. */
const historiesMax = 100
const incidentsMax = 5_000
const windowsMax = 1_000

export type ComponentHistory = { days: PublicDay[]; upShare: number | null }

/** The days of a page's first `historiesMax` components, by component id. */
export const readHistory = async (
  db: Connection,
  statusPageId: string,
  all: readonly PublishedComponent[],
  nowMs: number,
): Promise<Map<string, ComponentHistory>> => {
  const components = all.slice(0, historiesMax)
  const days = lastDays(historyDays, nowMs)
  const sinceMs = days[0]?.fromMs ?? nowMs
  const checkIds = components.map(({ checkId }) => checkId)
  const [flips, incidents, windows, paused, watch] = await Promise.all([
    findFlipsOfChecks(db, checkIds, sinceMs),
    findIncidentSpans(db, statusPageId, { checkIds, sinceMs, limit: incidentsMax }),
    findMaintenanceSpans(db, statusPageId, { sinceMs, limit: windowsMax }),
    findPausedSpans(db, checkIds, sinceMs),
    findHeartbeatWatch(db),
  ])
  const ofCheck = (
    spans: readonly { checkId: string; fromMs: number; toMs: number | null }[],
    id: string,
  ): Span[] =>
    spans.filter(({ checkId }) => checkId === id).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? nowMs }))
  return new Map(
    components.map((component) => [
      component.id,
      historyOf(days, {
        ...statusEvidence(
          component.check,
          {
            flips: flips.get(component.checkId) ?? [],
            paused: ofCheck(paused, component.checkId),
          },
          watch,
          nowMs,
        ),
        maintenance: windows.filter((window) => coversComponent({ ...window, statusPageId }, component)),
        incidents: ofCheck(incidents, component.checkId),
      }),
    ]),
  )
}
