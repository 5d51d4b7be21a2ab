import type { HttpAssignment } from '@probe-mesh/contracts/assignment'
import type { ReadingDetails } from '@probe-mesh/contracts/reading-details'
import { cdnOf } from '../evidence/cdn-marker.ts'
import { isOwnStatus } from '../judge/evaluate-assertions.ts'
import { judgeAttempt, needsBody } from '../judge/judge-attempt.ts'
import type { Outcome } from '../request/outcome.ts'
import { request } from '../request/request.ts'
import type { Probe } from './probe.ts'

/** One http check: a GET with its redirects, judged by the check's assertions. */
export const probeHttp: Probe<HttpAssignment> = async (assignment, context, capabilities) => {
  const { assertions, owner, url } = assignment
  const outcome = await request(
    {
      url,
      isFinal: (status) => isOwnStatus(assertions, status),
      needsBody: (status, headers) => needsBody(assertions, status, { headers, owner }),
      ...context,
    },
    capabilities,
  )
  const { latencyMs, timings, address, certificateExpiresAt } = outcome
  return {
    trace: {
      answered: outcome.ok,
      httpStatus: outcome.ok ? outcome.status : null,
      latencyMs,
      timings,
      address,
      certificateExpiresAt,
      details: assignment.owner === 'catalog' ? evidenceOf(outcome) : null,
    },
    judgement: judgeAttempt(outcome, assignment),
  }
}

/** The name servers are noted by whoever knows them: they take no part in an attempt. */
const evidenceOf = (outcome: Outcome): ReadingDetails => ({
  type: 'http',
  cdn: outcome.ok ? cdnOf(outcome.headers) : null,
  nameServers: [],
})
