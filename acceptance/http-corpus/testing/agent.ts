import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { allowing } from '@probe-mesh/probe-agent/request/testing/ask'
import { setUp } from '@probe-mesh/probe-agent/run/testing/run'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'

/** The status that the agent took as the answer; null where there was none, with the cause. */
export type AgentAnswer = { ours: number | null; cause: string }

/** The agent as it runs, on the names of the cases. @param how what the check says of its times */
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
    // a status that is not 2xx is an answer that was read, and is judged as it is
    const isRead = verdict === 'up' || cause === 'status_mismatch'
    return { ours: isRead ? httpStatus : null, cause }
  }
}
