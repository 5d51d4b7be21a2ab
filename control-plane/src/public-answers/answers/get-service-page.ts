import { pastOutagesMax } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { ServicePageAnswer } from '@probe-mesh/contracts/outage/service-page'
import { describeOutage, noVendorPosts } from '../past-outages.ts'
import { reconcileOutages } from '../reconcile-outages.ts'
import { readOptions, type AnswersContext } from './context.ts'
import { resolveService, statusOf } from './named-service.ts'
import { reportsWithStatus } from './report-problem.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { withoutLimit } from '../sentence.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'

/**
 * All answers about one service and its history in one, so that a page needs one request. Without ClickHouse
 * only the past is missing.
 */
export const getServicePage = async (
  context: AnswersContext,
  { params }: AnswerInput<'getServicePage'>,
): Promise<ServicePageAnswer> => {
  const named = resolveService(context, params.slug)
  const { service } = named
  const [outages, history] =
    service === null
      ? [[], null]
      : await Promise.all([inTime(context.outagesOf(service.slug)), inTime(context.historyOf(service.slug))])
  // after the wait, so that the reading is current
  const options = readOptions(context)
  const status = statusOf(context, named, null, options)
  const { reports, summary: reportSummary } = reportsWithStatus(context, named)
  const reconciled =
    outages === null || service === null
      ? outages
      : reconcileOutages(outages, context.observed.healthOf(service.slug))
  return {
    ...status,
    category: service?.category ?? null,
    vendorStatusUrl: service?.statusPage ?? null,
    reports,
    reportSummary: withoutLimit(reportSummary),
    reportRegions: [...context.regions],
    incidents:
      reconciled
        ?.slice(0, pastOutagesMax)
        .map((outage) => describeOutage(outage, noVendorPosts, options.nowMs)) ?? null,
    history,
  }
}

/** How long a page waits for the past of a service. */
const pastMsMax = 3_000

/**
 * The past of a service for its page: null while ClickHouse is unavailable or slow.
 * @throws anything else: a statement that ClickHouse refuses is our bug
 */
export const inTime = async <T>(read: Promise<T>): Promise<T | null> => {
  try {
    return await withDeadline(read, pastMsMax)
  } catch (error) {
    if (isStoreRefusing(error)) return null
    throw error
  }
}
