import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import type { Observed } from '../observed.ts'
import type { Outage } from '../past-outages.ts'
import type { UserReports } from '../unusual-reports.ts'
import type { ReadOptions } from '../region-reading.ts'

/** The context of the keyless answers. It contains nothing about the caller. */
export type AnswersContext = {
  readonly catalog: CatalogIndex
  readonly observed: Observed
  readonly reports: UserReports
  /** Newest first. @throws while ClickHouse is unavailable */
  readonly outagesOf: (slug: string) => Promise<readonly Outage[]>
  /** @throws while ClickHouse is unavailable */
  readonly historyOf: (slug: string) => Promise<ServiceHistory>
  /** The live regions. */
  readonly regions: readonly Region[]
  /** How long a catalog reading stays fresh. */
  readonly staleAfterMs: number
  readonly vantage: Evidence['vantage']
  readonly publicUrl: string
  readonly now: () => number
}

/** The read options of an answer at the current time. */
export const readOptions = ({
  now,
  staleAfterMs,
  vantage,
}: Pick<AnswersContext, 'now' | 'staleAfterMs' | 'vantage'>): ReadOptions => ({
  nowMs: now(),
  staleAfterMs,
  vantage,
})
