import type { Bus } from '@probe-mesh/bus/port'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { startAgent, type Agent } from '@probe-mesh/probe-agent/agent'
import { spoolBytesMin } from '@probe-mesh/probe-agent/environment'
import { createNameServers } from '@probe-mesh/probe-agent/evidence/name-servers'
import { addNameServers } from '@probe-mesh/probe-agent/evidence/add-name-servers'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Network } from './network.ts'
import { createNameControls } from '@probe-mesh/probe-agent/dns-evidence/controls'
import { createNameInquiry } from '@probe-mesh/probe-agent/dns-evidence/inquire'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createConnectivity } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createReach } from '@probe-mesh/probe-agent/run/reach-canary'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'

/** Creates runners like those of all-in-one, but with a resolver and canaries for each region. */
export const createRegionRuns = (capabilities: {
  network: Network
  allow: AllowList
  log: Logger
  now: () => number
}): { runOf(region: string): Run; close(): void } => {
  const { network, allow, log, now } = capabilities
  const lag = createLoopLag()
  const trust = createTrust()
  return {
    runOf: (region) => {
      const resolver = network.resolverOf(region)
      const reach = createReach({ resolver, trust })
      const { run } = createRunner({
        allow,
        resolver,
        ownAddresses: () => new Set(),
        ...unlimited,
        trust,
        browser: null,
        connectivity: createConnectivity({ canaries: network.canaries, reach }),
        names: createNameInquiry({
          controls: createNameControls({
            hosts: network.canaries.map(({ host }) => host),
            resolver,
          }),
        }),
        handshakes: createHandshakes(),
        lag,
        now,
        log,
        version: '0.1.0',
        probesUrl: null,
      })
      return run
    },
    close: lag.close,
  }
}

/** One agent in each region, each on its own network, which can be stopped and restarted. */
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
      run: addNameServers(runs.runOf(region), nameServers),
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
