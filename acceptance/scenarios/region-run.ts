import type { AllowList } from '@probe-mesh/contracts/target/address'
import { createNameControls } from '@probe-mesh/probe-agent/names/controls'
import { createNameInquiry } from '@probe-mesh/probe-agent/names/inquire'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createConnectivity } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createReach } from '@probe-mesh/probe-agent/run/reach-canary'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import type { Logger } from 'pino'
import type { Network } from './network.ts'
import { unlimited } from '@probe-mesh/probe-agent/request/unlimited'

/** What measures: as in all-in-one, but that each region has a resolver and canaries of its own. */
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
