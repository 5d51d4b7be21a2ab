import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import { createZoneResolver } from '@probe-mesh/probe-agent/evidence/query-zone'
import { registerNameServerMetrics } from '@probe-mesh/probe-agent/evidence/name-server-metrics'
import { createNameServers } from '@probe-mesh/probe-agent/evidence/name-servers'
import { addNameServers } from '@probe-mesh/probe-agent/evidence/add-name-servers'
import { createNameControls } from '@probe-mesh/probe-agent/dns-evidence/controls'
import { createNameInquiry } from '@probe-mesh/probe-agent/dns-evidence/inquire'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createOwnAddresses } from '@probe-mesh/probe-agent/request/own-addresses'
import { createResolver } from '@probe-mesh/probe-agent/request/resolve'
import { createLargeHeads } from '@probe-mesh/probe-agent/request/large-heads'
import { createTargetRate } from '@probe-mesh/probe-agent/request/target-rate'
import { createConnectivity, type Canary } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createOwnFaultNotice, type OwnFaultNotice } from '@probe-mesh/probe-agent/run/own-fault-notice'
import { createReach } from '@probe-mesh/probe-agent/run/reach-canary'
import { registerRunMetrics } from '@probe-mesh/probe-agent/run/run-metrics'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import type { SecretOpener } from '@probe-mesh/probe-agent/secrets/secret-opener'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import manifest from '@probe-mesh/probe-agent/package.json' with { type: 'json' }
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { FoundChromium } from './start-chromium.ts'

/**
 * Runs the measurements of all agents of one process. They share a network, and so the resolver, handshakes,
 * canaries, browser, learnt name servers and the monitor of the event loop.
 */
export const createAgentRunner = async (capabilities: {
  allow: AllowList
  deny: DenyList
  /** The current limit of connections per address and second, for the whole process. */
  targetRequestsPerSecond: () => number
  /** The page that tells operators of targets about the probes; null: none. */
  probesUrl: string | null
  canaries: readonly Canary[]
  /** Null: this process runs no browser checks. */
  chromium: FoundChromium | null
  now: () => number
  log: Logger
  registry: Registry
  /** Null or absent: checks with secrets are not measured. */
  secrets?: SecretOpener | null
}): Promise<{
  run: Run
  browser: BrowserHost | null
  ownFault: OwnFaultNotice['fault']
  close(): Promise<void>
}> => {
  const { allow, deny, canaries, chromium, now, log, probesUrl, registry } = capabilities
  const browsers = chromium === null ? null : await import('@probe-mesh/check-types/browser/probe/host')
  const lag = createLoopLag()
  const resolver = createResolver()
  const nameServers = createNameServers({ resolver: createZoneResolver() })
  const trust = createTrust()
  const rate = createTargetRate({ perSecond: capabilities.targetRequestsPerSecond })
  const ownAddresses = createOwnAddresses(now)
  const largeHeads = createLargeHeads()
  const guard = {
    allow,
    deny,
    resolver,
    ownAddresses,
    spend: rate.spend,
    largeHead: largeHeads.take,
  }
  const handshakes = createHandshakes()
  const browser =
    chromium === null || browsers === null ? null : browsers.openBrowserHost({ ...chromium, guard, log })
  const notice = createOwnFaultNotice({
    log,
    now,
    recheck: () => Promise.all([controls.ask('', false, performance.now()), connectivity.online()]),
  })
  const controls = createNameControls({
    hosts: canaries.map(({ host }) => host),
    resolver,
    onTurn: notice.onResolver,
  })
  const names = createNameInquiry({ controls })
  const connectivity = createConnectivity({
    canaries,
    reach: createReach({ resolver, trust }),
    onTurn: notice.onNetwork,
  })
  const runner = createRunner({
    ...guard,
    trust,
    browser,
    connectivity,
    names,
    handshakes,
    lag,
    now,
    log,
    version: manifest.version,
    probesUrl,
    secrets: capabilities.secrets,
  })
  registerNameServerMetrics(registry, nameServers)
  registerRunMetrics(registry, {
    counts: runner.counts,
    handshakes,
    names,
    resolver,
    largeHeads,
    browser,
    rate,
    ownFault: notice.fault,
  })
  return {
    run: addNameServers(runner.run, nameServers),
    browser,
    ownFault: notice.fault,
    close: async () => {
      notice.close()
      nameServers.close()
      resolver.close()
      lag.close()
      await browser?.close()
    },
  }
}
