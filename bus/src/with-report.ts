import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import type { AgentPresence } from './port.ts'

/** A copy of the announcement with a new report. A report that fails is left out: presence matters more. */
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
