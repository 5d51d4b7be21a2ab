import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { isClickHouseAway } from '../../stores/clickhouse/connect.ts'
import type { Outage } from '../past-outages.ts'
import { reconcileOutages } from '../reconcile-outages.ts'
import type { AnswersContext } from './context.ts'

const retryAfterSeconds = 5

/**
 * The past outages of a service, or SV-9002 while the time series cannot be read: an empty list
 * would say that there were none. They go with the status of the moment at which they were read.
 * @throws anything else: a statement that ClickHouse refuses is our bug
 */
export const readOutages = async (
  { outagesOf, observed }: Pick<AnswersContext, 'outagesOf' | 'observed'>,
  slug: string,
): Promise<readonly Outage[] | Refusal> => {
  try {
    return reconcileOutages(await outagesOf(slug), observed.standingOf(slug))
  } catch (error) {
    if (!isClickHouseAway(error)) throw error
    return refuse('SV-9002', { retryAfterSeconds })
  }
}
