import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { allowing } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { setUp } from '@probe-mesh/probe-agent/src/run/testing/run'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'

/** The status that the agent accepted; null: no answer, with the cause. */
export type AgentAnswer = { ours: number | null; cause: string }

/** Creates an agent for the host names of the cases. @param how the interval and timeout of the check */
export const createAgent = (
  ca: string,
  how: Pick<HttpAssignment, 'intervalSeconds' | 'timeoutSeconds'>,
): ((url: string) => Promise<AgentAnswer>) => {
  const { run } = setUp({
    allow: allowing('127.0.0.0/8', '::1'),
    resolver: { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] },
    trust: createTrust([ca]),
  })
  return async (url) => {
    const { verdict, cause, httpStatus } = await run(url, how)
    // a status other than 2xx is an answer too
    const isRead = verdict === 'up' || cause === 'status_mismatch'
    return { ours: isRead ? httpStatus : null, cause }
  }
}
