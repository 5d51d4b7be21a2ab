import { join } from 'node:path'
import type { Bus } from '@probe-mesh/bus/port'
import type { Config } from '@probe-mesh/control-plane/config'
import { startAgent } from '@probe-mesh/probe-agent/agent'
import type { Agent } from '@probe-mesh/probe-agent/agent'
import { parseCanaries } from '@probe-mesh/probe-agent/canaries'
import { spoolBytesDefault, spoolBytesMin } from '@probe-mesh/probe-agent/config'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createOwnAddresses } from '@probe-mesh/probe-agent/request/own-addresses'
import { createResolver } from '@probe-mesh/probe-agent/request/resolve'
import { createConnectivity } from '@probe-mesh/probe-agent/run/connectivity'
import type { Canary } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createReach } from '@probe-mesh/probe-agent/run/reach-canary'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import manifest from '@probe-mesh/probe-agent/package.json' with { type: 'json' }
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

/** What all agents of this process share of their environment. */
export type AgentSettings = {
  spoolBytesMax: number
  canaries: readonly Canary[]
  /** Where each agent journals the slots it ran, for an audit; null: nowhere. */
  journalDir: string | null
}

/** The agents' part of the environment, every problem listed. */
export const parseAgentSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): { ok: true; settings: AgentSettings } | { ok: false; problems: string[] } => {
  const problems: string[] = []
  const spoolText = environment['SPOOL_BYTES_MAX']?.trim() ?? ''
  const spoolBytesMax = spoolText === '' ? spoolBytesDefault : Number(spoolText)
  if (!Number.isSafeInteger(spoolBytesMax) || spoolBytesMax < spoolBytesMin) {
    problems.push(`SPOOL_BYTES_MAX must be a whole number of bytes, at least ${spoolBytesMin}`)
  }
  const canaries = parseCanaries(environment['CANARIES'])
  if (!canaries.ok) problems.push(...canaries.problems)
  if (problems.length > 0 || !canaries.ok) return { ok: false, problems }
  const journalDir = environment['JOURNAL_DIR']?.trim() ?? ''
  return {
    ok: true,
    settings: {
      spoolBytesMax,
      canaries: canaries.canaries,
      journalDir: journalDir === '' ? null : journalDir,
    },
  }
}

/**
 * An agent for each region. They share one process and so one network: resolver, handshakes and
 * the view of the event loop are one.
 */
export const startRegionAgents = async (capabilities: {
  config: Config
  settings: AgentSettings
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
}): Promise<{ close(): Promise<void> }> => {
  const { config, settings, bus, registry, log, now } = capabilities
  const lag = createLoopLag()
  const resolver = createResolver()
  const trust = createTrust()
  const runner = createRunner({
    allow: config.targetAllow,
    resolver,
    ownAddresses: createOwnAddresses(now),
    trust,
    connectivity: createConnectivity({
      canaries: settings.canaries,
      reach: createReach({ resolver, trust }),
    }),
    handshakes: createHandshakes(),
    lag,
    now,
    log,
    version: manifest.version,
  })
  const agents: Agent[] = []
  for (const region of config.regions) {
    const agent = `${region}-local`
    agents.push(
      await startAgent({
        config: {
          region,
          agent,
          dataDirectory: config.dataDir,
          spoolBytesMax: settings.spoolBytesMax,
          targetAllow: config.targetAllow.cidrs,
          journalPath: settings.journalDir === null ? null : join(settings.journalDir, agent),
        },
        bus,
        run: runner.run,
        now,
        log: log.child({ region }),
        registry,
      }),
    )
  }
  return {
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()))
      lag.close()
    },
  }
}
