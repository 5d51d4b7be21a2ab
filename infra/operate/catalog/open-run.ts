import type { AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { createOwnAddresses } from '@probe-mesh/probe-agent/request/own-addresses'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createLargeHeads } from '@probe-mesh/probe-agent/request/large-heads'
import { createResolver } from '@probe-mesh/probe-agent/request/resolve'
import { createConnectivity, type Canary } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createReach } from '@probe-mesh/probe-agent/run/reach-canary'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import { pino } from 'pino'

/** Measures probes from this machine with the guards of an agent. */
export const openRun = ({
  allow,
  canaries,
  version,
  now,
}: {
  allow: AllowList
  canaries: readonly Canary[]
  version: string
  now: () => number
}): { run: Run; online(): Promise<boolean>; close(): void } => {
  const [trust, resolver, lag] = [createTrust(), createResolver(), createLoopLag()]
  const connectivity = createConnectivity({ canaries, reach: createReach({ resolver, trust }) })
  const { run } = createRunner({
    allow,
    resolver,
    ownAddresses: createOwnAddresses(now),
    deny: denyNothing,
    // each address is probed once
    spend: () => true,
    largeHead: createLargeHeads().take,
    trust,
    browser: null,
    connectivity,
    handshakes: createHandshakes(),
    lag,
    now,
    log: pino({ level: 'silent' }),
    version,
    probesUrl: null,
  })
  const close = (): void => {
    lag.close()
    resolver.close()
  }
  return { run, online: connectivity.online, close }
}
