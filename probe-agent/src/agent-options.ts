import type { Logger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import type { Registry } from 'prom-client'
import type { BrowserHost } from './probes/browser/host.ts'
import type { AgentConfig } from './config.ts'
import type { OwnFaultNotice } from './run/own-fault-notice.ts'
import type { Run } from './schedule/run.ts'

/** What an agent is started with. */
export type AgentOptions = {
  config: AgentConfig
  bus: Bus
  run: Run
  /** Unix ms, by which slots go */
  now: () => number
  /** What the machine's clock says, of which it tells; `now` when absent. */
  wallNow?: () => number
  /** How far the machine's clock is ahead of the mesh's, seconds; 0 when absent. */
  clockAheadSeconds?: () => number
  /** Which installation it is: another one under its name is not its former life. */
  instance?: string
  /** The name that its credentials were issued to, where that is another one. */
  enrolledAs?: string | null
  log: Logger
  registry: Registry
  /** In [0, 1); Math.random when absent */
  random?: () => number
  /** Another agent took over the name: this one is stopping already. */
  onSuperseded?: () => void
  /** Where its requests come from, as targets see them; absent: nobody said so. */
  publicAddresses?: readonly string[]
  /** What runs browser checks; absent: none are taken, and the others of the region know it. */
  browser?: Pick<BrowserHost, 'warm'>
  /** What of the probe itself does not work now; absent: nobody looks. */
  ownFault?: OwnFaultNotice['fault']
}

/** How a subscription of the agent is kept. */
export const subscribing = ({ bus, log, random = Math.random }: AgentOptions, what: string) => ({
  what,
  random,
  log,
  onReturn: bus.onReturn,
})
