import { join } from 'node:path'
import type { Bus } from '@probe-mesh/bus/port'
import { probePageUrl } from '@probe-mesh/contracts/agent/probe-identity'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { startAgent, type Agent } from '@probe-mesh/probe-agent/agent'
import { findChromium } from '@probe-mesh/check-types/browser/probe/find-chromium'
import { agentEnvironment, browserEnvironment, probingEnvironment } from '@probe-mesh/probe-agent/environment'
import { createSecretOpener } from '@probe-mesh/probe-agent/secrets/secret-opener'
import { regionKeyOf } from '@probe-mesh/control-plane/secrets/region-key'
import type { Canary } from '@probe-mesh/probe-agent/run/connectivity'
import { readEnvironment, type Environment } from '@probe-mesh/runtime/env'
import { optional, path } from '@probe-mesh/runtime/setting'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { FoundChromium } from '../processes/start-chromium.ts'
import { createAgentRunner } from '../processes/agent-runner.ts'

/** The settings that all agents of this process share. */
export type AgentSettings = {
  spoolBytesMax: number
  canaries: readonly Canary[]
  /** Limit of connections to one address per region and second. */
  targetRequestsPerSecond: number
  /** The addresses that targets see; empty: unknown. */
  publicAddresses: readonly string[]
  /** Chromium's path; null: browser checks do not run. */
  chromium: string | null
  /** Whether Chromium may run without its sandbox if the sandbox does not work. */
  mayGoWithoutSandbox: boolean
  /** The folder for each agent's journal of slots, for audits; null: no journal. */
  journalDir: string | null
}

const { PUBLIC_ADDRESSES } = agentEnvironment

/** The agents' variables, besides those of the control plane. */
export const regionAgentsEnvironment = {
  ...probingEnvironment,
  ...browserEnvironment,
  PUBLIC_ADDRESSES,
  JOURNAL_DIR: optional(
    path,
    'none',
    'Folder in which each agent records the id of every reading, for an audit.',
  ),
}

/** Parses the agents' variables and lists all problems. */
export const parseAgentSettings = (
  environment: Environment,
): { ok: true; settings: AgentSettings } | { ok: false; problems: string[] } => {
  const read = readEnvironment(regionAgentsEnvironment, environment)
  if (!read.ok) return read
  const given = read.values
  const chromium = findChromium(given.CHROMIUM, environment['PATH'] ?? '')
  if (!chromium.ok) return { ok: false, problems: [chromium.problem] }
  return {
    ok: true,
    settings: {
      spoolBytesMax: given.SPOOL_BYTES_MAX,
      canaries: given.CANARIES,
      targetRequestsPerSecond: given.TARGET_REQUESTS_PER_SECOND,
      publicAddresses: given.PUBLIC_ADDRESSES,
      chromium: chromium.path,
      mayGoWithoutSandbox: given.CHROMIUM_WITHOUT_SANDBOX === 'yes',
      journalDir: given.JOURNAL_DIR,
    },
  }
}

/** Starts an agent for each region. They share one runner. */
export const startRegionAgents = async (capabilities: {
  config: Config
  settings: AgentSettings
  chromium: FoundChromium | null
  /** The SECRETS_KEY of the control plane of this process. */
  secretsKey: string
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
}): Promise<{ close(): Promise<void> }> => {
  const { config, settings, bus, registry, log, now } = capabilities
  const runner = await createAgentRunner({
    allow: config.targetAllow,
    deny: config.blockedTargets,
    targetRequestsPerSecond: () => settings.targetRequestsPerSecond * config.regions.length,
    probesUrl: probePageUrl(config.publicUrl),
    canaries: settings.canaries,
    chromium: capabilities.chromium,
    secrets: createSecretOpener((region) => regionKeyOf(capabilities.secretsKey, region)),
    now,
    log,
    registry,
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
        ownFault: runner.ownFault,
        now,
        log: log.child({ region }),
        registry,
        publicAddresses: settings.publicAddresses,
        regionKey: regionKeyOf(capabilities.secretsKey, region),
        ...(runner.browser === null ? {} : { browser: runner.browser }),
      }),
    )
  }
  await Promise.all(agents.map((agent) => agent.sharing))
  return {
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()))
      await runner.close()
    },
  }
}
