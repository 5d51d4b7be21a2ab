import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import type { Observed } from '../observed.ts'
import type { Outage } from '../past-outages.ts'
import type { UserReports } from '../unusual-reports.ts'
import type { ReadAt } from '../region-reading.ts'

/** What the keyless answers work with. Who asks is not part of it: nothing is kept of that. */
export type AnswersContext = {
  readonly catalog: CatalogIndex
  readonly observed: Observed
  readonly reports: UserReports
  /** Newest first. Throws what ClickHouse throws while it is away */
  readonly outagesOf: (slug: string) => Promise<readonly Outage[]>
  /** Throws what ClickHouse throws while it is away */
  readonly historyOf: (slug: string) => Promise<ServiceHistory>
  /** The live regions. */
  readonly regions: readonly Region[]
  /** How long a reading of the catalog stays fresh. */
  readonly staleAfterMs: number
  readonly vantage: Evidence['vantage']
  readonly publicUrl: string
  readonly now: () => number
}

/** How readings count for an answer that is made now. */
export const readAt = ({
  now,
  staleAfterMs,
  vantage,
}: Pick<AnswersContext, 'now' | 'staleAfterMs' | 'vantage'>): ReadAt => ({
  nowMs: now(),
  staleAfterMs,
  vantage,
})
