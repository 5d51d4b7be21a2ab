import type { RecentIncidentsAnswer } from '@probe-mesh/contracts/answers'
import { isRefusal } from '@probe-mesh/contracts/refusal'
import type { AnswersContext } from '../answers/context.ts'
import { listRecentIncidents } from '../answers/list-recent-incidents.ts'
import { AnswerTimeout, withDeadline } from './deadline.ts'

/** Whoever wants to know whether a service is down waits no longer for its past. */
const outagesMsMax = 3_000

/** The past outages of a page that has more to say: null while the time series is away or slow. */
export const readOutagesInTime = async (
  context: AnswersContext,
  input: { params: { slug: string } },
): Promise<RecentIncidentsAnswer | null> => {
  try {
    const answer = await withDeadline(listRecentIncidents(context, input), outagesMsMax)
    return isRefusal(answer) ? null : answer
  } catch (error) {
    if (error instanceof AnswerTimeout) return null
    throw error
  }
}
