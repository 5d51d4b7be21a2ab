import type { Bus } from '@probe-mesh/bus/port'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { startAgent } from '@probe-mesh/probe-agent/agent'
import type { Agent } from '@probe-mesh/probe-agent/agent'
import { spoolBytesMin } from '@probe-mesh/probe-agent/environment'
import { createNameServers } from '@probe-mesh/probe-agent/evidence/name-servers'
import { noteNameServers } from '@probe-mesh/probe-agent/evidence/note-name-servers'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Network } from './network.ts'
import { createRegionRuns } from './region-run.ts'

/** One agent in each region, each on a network of its own, that may be stopped and started again. */
export type RegionAgents = {
  start(regions: readonly string[]): Promise<void>
  stop(regions: readonly string[]): Promise<void>
  close(): Promise<void>
}

export const createRegionAgents = (capabilities: {
  bus: Bus
  network: Network
  allow: AllowList
  dataDirectory: string
  log: Logger
  now: () => number
}): RegionAgents => {
  const { bus, network, allow, dataDirectory, log, now } = capabilities
  const running = new Map<string, Agent>()
  const runs = createRegionRuns(capabilities)
  const nameServers = createNameServers({ resolver: network.zoneResolver() })
  const startOne = async (region: string): Promise<void> => {
    const agent = await startAgent({
      config: {
        region,
        agent: `${region}-1`,
        dataDirectory,
        spoolBytesMax: spoolBytesMin,
        targetAllow: allow.cidrs,
        journalPath: null,
      },
      bus,
      run: noteNameServers(runs.runOf(region), nameServers),
      now,
      log: log.child({ region }),
      registry: new Registry(),
    })
    running.set(region, agent)
    await agent.sharing
  }
  const stop = async (regions: readonly string[]): Promise<void> => {
    await Promise.all(regions.map((region) => running.get(region)?.close()))
    for (const region of regions) running.delete(region)
  }
  return {
    start: async (regions) => void (await Promise.all(regions.map(startOne))),
    stop,
    close: async () => {
      await stop([...running.keys()])
      nameServers.close()
      runs.close()
    },
  }
}
