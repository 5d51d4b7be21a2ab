import type { Logger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import type { Registry } from 'prom-client'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import type { AgentConfig } from './config.ts'
import type { OwnFaultNotice } from './run/own-fault-notice.ts'
import type { Run } from './schedule/run.ts'

/** Options of `startAgent`. */
export type AgentOptions = {
  config: AgentConfig
  bus: Bus
  run: Run
  /** Unix ms; decides when slots start. */
  now: () => number
  /** The machine's clock, Unix ms, used in reports; `now` when absent. */
  wallNow?: () => number
  /** How far the machine's clock is ahead of the mesh, seconds; 0 when absent. */
  clockAheadSeconds?: () => number
  /** Id of the installation. Another installation with the same name is not its predecessor. */
  instance?: string
  /** The name its credentials were issued to, when it differs. */
  enrolledAs?: string | null
  log: Logger
  registry: Registry
  /** In [0, 1); Math.random when absent */
  random?: () => number
  /** Called when another agent has taken over the name; this one already stops. */
  onSuperseded?: () => void
  /** Source addresses of its requests, as targets see them; absent: unknown. */
  publicAddresses?: readonly string[]
  /**
   * Runs browser checks; absent: the agent accepts none, and the other agents of the region know
   * it.
   */
  browser?: Pick<BrowserHost, 'warm'>
  /** The key that opens secrets of checks; null or absent: none. Only its mark is announced. */
  regionKey?: string | null
  /** The present fault of the probe itself; absent: not monitored. */
  ownFault?: OwnFaultNotice['fault']
}

/** Options of one durable subscription of the agent. */
export const subscriptionOptions = ({ bus, log, random = Math.random }: AgentOptions, what: string) => ({
  what,
  random,
  log,
  onReturn: bus.onReturn,
})
