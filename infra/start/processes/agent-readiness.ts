import type { Agent } from '@probe-mesh/probe-agent/agent'
import type { AgentReadiness } from '@probe-mesh/probe-agent/health'

/** The known problems, each in a sentence; null: none. */
type Wrong = {
  isStopping: boolean
  /** Another agent runs under its name. */
  held: string | null
  refused: string | null
  clock: string | null
  /** Its disk is nearly full. */
  disk: string | null
  /** The region of an admitted agent, from which no assignment has arrived. */
  unknownRegion: string | null
}

/** Whether an agent can work, and the problems for its operator. */
export const agentReadiness = (
  agent: Agent | null,
  { isStopping, held, refused, clock, disk, unknownRegion }: Wrong,
): AgentReadiness => ({
  notReady: [
    ...(isStopping ? ['serving'] : []),
    ...(refused === null ? [] : ['credentials']),
    ...(held === null ? [] : ['name']),
    ...(agent?.hasAssignments === true ? [] : ['assignments']),
    ...(agent === null || agent.members.length === 0 ? ['members'] : []),
  ],
  bus: agent === null || agent.isBusUnavailable ? 'away' : 'connected',
  problems: [refused, held, clock, disk, unknown(agent, unknownRegion)].filter((problem) => problem !== null),
})

const unknown = (agent: Agent | null, region: string | null): string | null =>
  agent === null || agent.hasAssignments || region === null
    ? null
    : `no control plane has region ${region} in REGIONS, so there are no assignments yet`
