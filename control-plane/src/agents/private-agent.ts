import {
  agentSilentMsMax,
  type AgentPresenceState,
  type PrivateAgent,
} from '@probe-mesh/contracts/agent/agent'
import { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'

/** A private agent as stored. Times are Unix milliseconds. */
export type PrivateAgentRecord = {
  id: string
  accountId: string
  name: string
  /** Enough to recognise the token, not enough to use it. */
  hint: string
  createdAtMs: number
  rotatedAtMs: number | null
  revokedAtMs: number | null
  version: string | null
  lastSeenAtMs: number | null
  report: unknown
  /** The number of checks that run on it. */
  checks: number
}

/** Whether it is online, by its last report. */
const presenceOf = (
  { revokedAtMs, lastSeenAtMs }: Pick<PrivateAgentRecord, 'revokedAtMs' | 'lastSeenAtMs'>,
  nowMs: number,
): AgentPresenceState => {
  if (revokedAtMs !== null) return 'revoked'
  if (lastSeenAtMs === null) return 'never'
  return nowMs - lastSeenAtMs <= agentSilentMsMax ? 'present' : 'away'
}

/** A private agent as the API returns it. */
export const describePrivateAgent = (agent: PrivateAgentRecord, nowMs: number): PrivateAgent => {
  const report = AgentReport.safeParse(agent.report)
  return {
    id: agent.id,
    name: agent.name,
    region: privateRegion(agent.id),
    presence: presenceOf(agent, nowMs),
    version: agent.version,
    lastSeenAt: instant(agent.lastSeenAtMs),
    checks: agent.checks,
    report: report.success ? report.data : null,
    hint: agent.hint,
    createdAt: new Date(agent.createdAtMs).toISOString(),
    rotatedAt: instant(agent.rotatedAtMs),
    revokedAt: instant(agent.revokedAtMs),
  }
}

const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
