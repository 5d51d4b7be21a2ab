import type { Agent } from '@probe-mesh/probe-agent/agent'
import type { AgentReadiness } from '@probe-mesh/probe-agent/health'

/** What is known to be wrong, each in a sentence; null: nothing. */
type Wrong = {
  isStopping: boolean
  /** Another agent has its name. */
  held: string | null
  refused: string | null
  clock: string | null
}

/** Whether an agent can work, and what its operator has to look at. Pure. */
export const agentReadiness = (
  agent: Agent | null,
  { isStopping, held, refused, clock }: Wrong,
): AgentReadiness => ({
  notReady: [
    ...(isStopping ? ['serving'] : []),
    ...(refused === null ? [] : ['credentials']),
    ...(held === null ? [] : ['name']),
    ...(agent?.hasAssignments === true ? [] : ['assignments']),
    ...(agent === null || agent.members.length === 0 ? ['members'] : []),
  ],
  bus: agent === null || agent.isBusAway ? 'away' : 'connected',
  problems: [refused, held, clock].filter((problem) => problem !== null),
})
