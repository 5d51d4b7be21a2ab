import { join } from 'node:path'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { ownerAmong } from '@probe-mesh/probe-agent/share/rendezvous'
import { createSimulatedAgent } from './agent.ts'
import type { SimulatedAgent, SlotRun } from './agent.ts'
import type { SimulatedTime } from './simulated-time.ts'
import type { SimulatedStream } from './stream.ts'

export const agentName = (region: Region, n: number): string => `${region}-${n}`

/** The agents of one region, as far as one partition's checks concern them. */
export type SimulatedRegion = {
  readonly region: Region
  readonly agents: ReadonlyMap<string, SimulatedAgent>
  /** Who has a check while nobody has come or gone. */
  ownerOf(checkId: string): string
  /** All living agents know from now on who shares the region. */
  tell(members: readonly string[]): void
  /** A newcomer begins, and knows the others; they learn of it when they are told. */
  join(name: string): void
  leave(name: string): Promise<void>
  kill(name: string): Promise<void>
  close(): Promise<void>
}

/**
 * Begins a region. An agent is given the assignments that are ever its own among these memberships:
 * of the others its book would only remember that they are not.
 * @param memberships the first is the present one
 */
export const beginRegion = (options: {
  region: Region
  partition: number
  checkIds: readonly string[]
  intervalSeconds: number
  memberships: readonly (readonly string[])[]
  directory: string
  times: { slots: SimulatedTime; lanes: SimulatedTime }
  stream: SimulatedStream
  onRun: (run: SlotRun) => void
}): SimulatedRegion => {
  const { region, partition, checkIds, memberships, times, stream } = options
  const [present = []] = memberships
  const owners = memberships.map(ownerAmong)
  const ownerOf = owners[0] ?? ownerAmong(present)
  const validFrom = times.slots.now()
  const held = new Map<string, HeldAssignment[]>()
  for (const checkId of checkIds) {
    const assignment = anAssignment(checkId, region, options.intervalSeconds, validFrom)
    for (const name of new Set(owners.map((owner) => owner(checkId)))) {
      const own = held.get(name)
      if (own === undefined) held.set(name, [assignment])
      else own.push(assignment)
    }
  }
  const agents = new Map<string, SimulatedAgent>()
  const dead = new Set<string>()
  const begin = (name: string): SimulatedAgent => {
    const agent = createSimulatedAgent({
      name,
      region,
      partition,
      directory: join(options.directory, name),
      times,
      publish: async ({ messageId, data }) => ({
        sequence: stream.publish(region, messageId, data),
        duplicate: false,
      }),
      onRun: options.onRun,
    })
    for (const assignment of held.get(name) ?? []) agent.put(assignment)
    agents.set(name, agent)
    return agent
  }
  for (const name of present) begin(name).shareAmong(present)
  const agentOf = (name: string): SimulatedAgent => {
    const agent = agents.get(name)
    if (agent === undefined) throw new RangeError(`no agent ${name}`)
    return agent
  }
  return {
    region,
    agents,
    ownerOf,
    tell: (members) => {
      for (const [name, agent] of agents) if (!dead.has(name)) agent.shareAmong(members)
    },
    join: (name) => begin(name).shareAmong([...present, name]),
    leave: async (name) => {
      dead.add(name)
      await agentOf(name).leave()
    },
    kill: async (name) => {
      dead.add(name)
      await agentOf(name).kill()
    },
    close: async () => {
      for (const agent of agents.values()) await agent.close()
    },
  }
}

/** An http check as an account makes it. */
export const anAssignment = (
  checkId: string,
  region: Region,
  intervalSeconds: number,
  validFrom: number,
): HeldAssignment => ({
  checkId,
  accountId: '018f0000-0000-7000-8000-000000000000',
  region,
  revision: 1,
  validFrom,
  intervalSeconds,
  owner: 'account',
  type: 'http',
  url: 'https://www.example.com/health?full=1',
  assertions: { ...noAssertions, assertionStatusMin: 200, assertionStatusMax: 299 },
})
