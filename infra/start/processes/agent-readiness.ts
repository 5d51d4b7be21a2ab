import type { Agent } from '@probe-mesh/probe-agent/agent'
import type { AgentReadiness } from '@probe-mesh/probe-agent/health'

/** What is known to be wrong, each in a sentence; null: nothing. */
type Wrong = {
  isStopping: boolean
  /** Another agent has its name. */
  held: string | null
  refused: string | null
  clock: string | null
  /** Of whose region nothing has come, though the mesh let it in. */
  unknownRegion: string | null
}

/** Whether an agent can work, and what its operator has to look at. Pure. */
export const agentReadiness = (
  agent: Agent | null,
  { isStopping, held, refused, clock, unknownRegion }: Wrong,
): AgentReadiness => ({
  notReady: [
    ...(isStopping ? ['serving'] : []),
    ...(refused === null ? [] : ['credentials']),
    ...(held === null ? [] : ['name']),
    ...(agent?.hasAssignments === true ? [] : ['assignments']),
    ...(agent === null || agent.members.length === 0 ? ['members'] : []),
  ],
  bus: agent === null || agent.isBusUnavailable ? 'away' : 'connected',
  problems: [refused, held, clock, unknown(agent, unknownRegion)].filter((problem) => problem !== null),
})

const unknown = (agent: Agent | null, region: string | null): string | null =>
  agent === null || agent.hasAssignments || region === null
    ? null
    : `the mesh has nothing for region ${region} yet: no control plane runs with it in REGIONS`
