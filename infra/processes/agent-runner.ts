import type { AllowList } from '@probe-mesh/contracts/address'
import { openBrowserHost } from '@probe-mesh/probe-agent/browser/host'
import type { BrowserHost } from '@probe-mesh/probe-agent/browser/host'
import { createZoneResolver } from '@probe-mesh/probe-agent/evidence/ask-zone'
import { createNameServers } from '@probe-mesh/probe-agent/evidence/name-servers'
import type { NameServers } from '@probe-mesh/probe-agent/evidence/name-servers'
import { noteNameServers } from '@probe-mesh/probe-agent/evidence/note-name-servers'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createOwnAddresses } from '@probe-mesh/probe-agent/request/own-addresses'
import { createResolver } from '@probe-mesh/probe-agent/request/resolve'
import { createConnectivity } from '@probe-mesh/probe-agent/run/connectivity'
import type { Canary } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createReach } from '@probe-mesh/probe-agent/run/reach-canary'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import type { Run } from '@probe-mesh/probe-agent/slots/run'
import manifest from '@probe-mesh/probe-agent/package.json' with { type: 'json' }
import type { Logger } from 'pino'

/**
 * What measures for all agents of one process. They share one network, and so resolver, handshakes,
 * canaries, the browser, the name servers learnt and the view of the event loop are one.
 */
export const createAgentRunner = (capabilities: {
  allow: AllowList
  canaries: readonly Canary[]
  /** Chromium's path; null: browser checks do not run here. */
  chromium: string | null
  now: () => number
  log: Logger
}): {
  run: Run
  browser: BrowserHost | null
  nameServers: Pick<NameServers, 'counts'>
  close(): Promise<void>
} => {
  const { allow, canaries, chromium, now, log } = capabilities
  const lag = createLoopLag()
  const resolver = createResolver()
  const nameServers = createNameServers({ resolver: createZoneResolver() })
  const trust = createTrust()
  const guard = { allow, resolver, ownAddresses: createOwnAddresses(now) }
  const browser =
    chromium === null ? null : openBrowserHost({ executablePath: chromium, guard, log })
  const runner = createRunner({
    ...guard,
    trust,
    browser,
    connectivity: createConnectivity({ canaries, reach: createReach({ resolver, trust }) }),
    handshakes: createHandshakes(),
    lag,
    now,
    log,
    version: manifest.version,
  })
  return {
    run: noteNameServers(runner.run, nameServers),
    browser,
    nameServers,
    close: async () => {
      nameServers.close()
      lag.close()
      await browser?.close()
    },
  }
}
