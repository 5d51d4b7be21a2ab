import { join } from 'node:path'
import type { Bus } from '@probe-mesh/bus/port'
import { probePageUrl } from '@probe-mesh/contracts/agent/probe-identity'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { startAgent } from '@probe-mesh/probe-agent/agent'
import type { Agent } from '@probe-mesh/probe-agent/agent'
import { parseCanaries } from '@probe-mesh/probe-agent/canaries'
import {
  findChromium,
  parseWithoutSandbox,
} from '@probe-mesh/probe-agent/probes/browser/find-chromium'
import {
  parseTargetRequestsPerSecond,
  spoolBytesDefault,
  spoolBytesMin,
  targetRequestsPerSecondRule,
} from '@probe-mesh/probe-agent/config'
import { parsePublicAddresses } from '@probe-mesh/contracts/target/public-addresses'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import { targetRequestsPerSecondDefault } from '@probe-mesh/probe-agent/request/target-rate'
import type { Canary } from '@probe-mesh/probe-agent/run/connectivity'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { FoundChromium } from '../processes/start-chromium.ts'
import { createAgentRunner } from '../processes/agent-runner.ts'

/** What all agents of this process share of their environment. */
export type AgentSettings = {
  spoolBytesMax: number
  canaries: readonly Canary[]
  /** Connections to one address that a region may make in a second. */
  targetRequestsPerSecond: number
  /** Where requests come from, as targets see them; empty: nobody said so. */
  publicAddresses: readonly string[]
  /** Chromium's path; null: browser checks do not run. */
  chromium: string | null
  /** Whether it may run without its sandbox where that does not work. */
  mayGoWithoutSandbox: boolean
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
  const rateText = environment['TARGET_REQUESTS_PER_SECOND']?.trim() ?? ''
  const rate =
    rateText === '' ? targetRequestsPerSecondDefault : parseTargetRequestsPerSecond(rateText)
  if (rate === null) problems.push(`TARGET_REQUESTS_PER_SECOND ${targetRequestsPerSecondRule}`)
  const addresses = parsePublicAddresses(partsOf(environment['PUBLIC_ADDRESSES'] ?? ''))
  if (!addresses.ok) {
    problems.push(...addresses.problems.map((problem) => `PUBLIC_ADDRESSES ${problem}`))
  }
  const setting = environment['CHROMIUM']?.trim() ?? ''
  const chromium = findChromium(setting === '' ? null : setting, environment['PATH'] ?? '')
  if (!chromium.ok) problems.push(chromium.problem)
  const sandbox = parseWithoutSandbox(environment['CHROMIUM_WITHOUT_SANDBOX'])
  if (!sandbox.ok) problems.push(sandbox.problem)
  const isSound = canaries.ok && chromium.ok && sandbox.ok && addresses.ok
  if (problems.length > 0 || !isSound || rate === null) {
    return { ok: false, problems }
  }
  const journalDir = environment['JOURNAL_DIR']?.trim() ?? ''
  return {
    ok: true,
    settings: {
      spoolBytesMax,
      canaries: canaries.canaries,
      targetRequestsPerSecond: rate,
      publicAddresses: addresses.value,
      chromium: chromium.path,
      mayGoWithoutSandbox: sandbox.mayGoWithout,
      journalDir: journalDir === '' ? null : journalDir,
    },
  }
}

/** An agent for each region; they share one process and so what measures. */
export const startRegionAgents = async (capabilities: {
  config: Config
  settings: AgentSettings
  chromium: FoundChromium | null
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
}): Promise<{ close(): Promise<void> }> => {
  const { config, settings, bus, registry, log, now } = capabilities
  const runner = createAgentRunner({
    allow: config.targetAllow,
    deny: config.blockedTargets,
    targetRequestsPerSecond: () => settings.targetRequestsPerSecond * config.regions.length,
    probesUrl: probePageUrl(config.publicUrl),
    canaries: settings.canaries,
    chromium: capabilities.chromium,
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
