import type { ReportVolumeAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { nameService } from './named-service.ts'
import { reportsBesideStatus } from './reports-beside-status.ts'

/** How many people report problems with a service, and from where (S-1310). */
export const getReportVolume = (
  context: AnswersContext,
  { params }: AnswerInput<'getReportVolume'>,
): ReportVolumeAnswer => reportsBesideStatus(context, nameService(context, params.slug))
