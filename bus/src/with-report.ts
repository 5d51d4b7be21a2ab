import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import type { AgentPresence } from './port.ts'

/** What an agent announces now, copied. Being there is worth more than how: a report that fails is left out. */
export const withReport = (
  presence: AgentPresence,
  report: (() => AgentReport) | undefined,
): AgentPresence => {
  if (report === undefined) return { ...presence }
  try {
    return { ...presence, report: structuredClone(report()) }
  } catch {
    return { ...presence }
  }
}
