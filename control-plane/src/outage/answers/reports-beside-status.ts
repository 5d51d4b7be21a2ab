import type { ReportVolumeAnswer } from '@probe-mesh/contracts/outage/answers'
import { reportSummary, reportVolume } from '../report-volume.ts'
import type { AnswersContext } from './context.ts'
import { statusOf } from './named-service.ts'
import type { NamedService } from './named-service.ts'
import { readAt } from './read-at.ts'

/**
 * What people report of a service, always beside what our own probes read: the status is decided
 * first and by itself, since reports decide nothing (S-1310). Of what is not covered there
 * are no reports.
 */
export const reportsBesideStatus = (
  context: AnswersContext,
  named: NamedService,
): ReportVolumeAnswer => {
  const how = readAt(context)
  const status = statusOf(context, named, null, how)
  if (named.service === null) return { ...status, reports: reportVolume([], [], how.nowMs) }
  const { slug } = named.service
  const { reports: book } = context
  const reports = reportVolume(book.minutesOf(slug), book.usualOf(slug), how.nowMs)
  return { ...status, reports, summary: reportSummary(reports, status.summary) }
}
