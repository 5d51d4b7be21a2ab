import { pastOutagesMax } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { describeOutage, noVendorPosts } from '../past-outages.ts'
import { reconcileOutages } from '../reconcile-outages.ts'
import type { AnswersContext } from './context.ts'
import { nameService, statusOf } from './named-service.ts'
import { readAt } from './context.ts'
import { reportsBesideStatus } from './report-problem.ts'
import { isClickHouseUnavailable } from '../../stores/clickhouse/connect.ts'
import { AnswerTimeout, withDeadline } from '@probe-mesh/runtime/deadline'

/**
 * What the other answers say of one service, and its history, as one answer: a page is one request of
 * its reader. It is whole without ClickHouse, but for the past.
 */
export const getServicePage = async (
  context: AnswersContext,
  { params }: AnswerInput<'getServicePage'>,
): Promise<ServicePageAnswer> => {
  const named = nameService(context, params.slug)
  const { service } = named
  const [outages, history] =
    service === null
      ? [[], null]
      : await Promise.all([inTime(context.outagesOf(service.slug)), inTime(context.historyOf(service.slug))])
  // after the wait, so that the current reading is one
  const how = readAt(context)
  const status = statusOf(context, named, null, how)
  const { reports, summary: reportSummary } = reportsBesideStatus(context, named)
  const told =
    outages === null || service === null
      ? outages
      : reconcileOutages(outages, context.observed.standingOf(service.slug))
  return {
    ...status,
    category: service?.category ?? null,
    vendorStatusUrl: service?.statusPage ?? null,
    reports,
    reportSummary,
    reportRegions: [...context.regions],
    incidents:
      told?.slice(0, pastOutagesMax).map((outage) => describeOutage(outage, noVendorPosts, how.nowMs)) ??
      null,
    history,
  }
}

/** How long a page waits for past outages before it is sent without them. */
const pastMsMax = 3_000

/**
 * The past of a service for its page: null while ClickHouse is unavailable or slow.
 * @throws anything else: a statement that ClickHouse refuses is our bug
 */
export const inTime = async <T>(read: Promise<T>): Promise<T | null> => {
  try {
    return await withDeadline(read, pastMsMax)
  } catch (error) {
    if (error instanceof AnswerTimeout || isClickHouseUnavailable(error)) return null
    throw error
  }
}
