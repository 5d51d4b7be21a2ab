import type { HttpAssignment } from '@probe-mesh/contracts/assignment'
import { limits } from '@probe-mesh/contracts/limits'
import type { ReadingDetails } from '@probe-mesh/contracts/reading-details'
import { cdnOf } from '../evidence/cdn-marker.ts'
import { isOwnStatus, readsBody } from '../judge/evaluate-assertions.ts'
import { judgeAttempt, needsBody } from '../judge/judge-attempt.ts'
import type { Outcome } from '../request/outcome.ts'
import { request } from '../request/request.ts'
import { unresolvedName } from './probe.ts'
import type { Probe } from './probe.ts'

/** One http check: a GET with its redirects, judged by the check's assertions. */
export const probeHttp: Probe<HttpAssignment> = async (assignment, context, capabilities) => {
  const { assertions, url } = assignment
  const outcome = await request(
    {
      url,
      isFinal: (status) => isOwnStatus(assertions, status),
      needsBody: (status) => needsBody(assertions, status),
      judgesBody: readsBody(assertions),
      ...context,
    },
    capabilities,
  )
  const { latencyMs, timings, address, certificateExpiresAt, unresolved, unroutable } = outcome
  return {
    trace: {
      answered: outcome.ok,
      httpStatus: outcome.ok ? outcome.status : null,
      latencyMs,
      timings,
      address,
      certificateExpiresAt,
      unresolved: unresolvedName(unresolved),
      unroutable,
      details: detailsOf(outcome, assignment.owner),
    },
    judgement: judgeAttempt(outcome, assignment),
  }
}

/**
 * What a catalog service's outages may share with others', and what was noted of any check. The name
 * servers are noted by whoever knows them: they take no part in an attempt.
 */
const detailsOf = (outcome: Outcome, owner: HttpAssignment['owner']): ReadingDetails | null => {
  const isCatalog = owner === 'catalog'
  if (!isCatalog && outcome.notes.length === 0) return null
  return {
    type: 'http',
    cdn: isCatalog && outcome.ok ? cdnOf(outcome.headers) : null,
    nameServers: [],
    ...notesOf(outcome),
  }
}

/** As details carry them: absent where there is none. */
export const notesOf = ({ notes }: Pick<Outcome, 'notes'>): { notes?: string[] } =>
  notes.length === 0 ? {} : { notes: notes.slice(0, limits.readingNotesMax) }
