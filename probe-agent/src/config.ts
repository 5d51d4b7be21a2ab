import { hostname } from 'node:os'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { LogLevel } from '@probe-mesh/runtime/log-level'
import { probePageUrl } from '@probe-mesh/contracts/agent/probe-identity'
import { privateRegion } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { readEnvironment } from '@probe-mesh/runtime/env'
import type { Environment } from '@probe-mesh/runtime/env'
import type { ValuesOf } from '@probe-mesh/runtime/setting'
import { agentEnvironment, privateAgentEnvironment, privateAgentRule } from './environment.ts'
import type { Canary } from './run/connectivity.ts'

/** What an agent is told by its environment; the composition of several agents makes one for each. */
export type AgentConfig = {
  readonly region: Region
  /** Its name: one running agent each, and the same after a restart, since its spool is named so. */
  readonly agent: string
  readonly dataDirectory: string
  readonly spoolBytesMax: number
  /** CIDR blocks that probes may reach although they are not public. */
  readonly targetAllow: readonly string[]
  /** Where to write the ids of readings for an audit; null: nowhere. */
  readonly journalPath: string | null
}

/** How an agent reaches the mesh. */
export type WayToMesh =
  | {
      readonly kind: 'nats'
      /** `nats://` or `tls://`, at least one; may hold a password. */
      readonly urls: readonly string[]
      /** A file with an nkey seed or NATS credentials; null: the server asks for none. */
      readonly credentialsPath: string | null
    }
  /** A private agent asks a control plane, at a URL without a slash at its end, with its own token. */
  | { readonly kind: 'relay'; readonly url: string }

/** What a process that runs one agent needs besides. */
export type AgentProcessConfig = {
  readonly agent: AgentConfig
  readonly targetAllow: AllowList
  /** Where its requests come from, as targets see them; empty: nobody said so. */
  readonly publicAddresses: readonly string[]
  readonly blockedTargets: DenyList
  /** Connections to one address that the region's agents together may make in a second. */
  readonly targetRequestsPerSecond: number
  /** Where targets read who probes them; null: nowhere. */
  readonly probesUrl: string | null
  readonly canaries: readonly Canary[]
  /** Chromium's path, or `off`; null: where it usually is. */
  readonly chromium: string | null
  /** Whether it may run without its sandbox where that does not work. */
  readonly mayGoWithoutSandbox: boolean
  readonly way: WayToMesh
  /** Where health and metrics are answered. */
  readonly host: string
  readonly port: number
  /** What readers of `/metrics` send; null: it answers this machine only. */
  readonly metricsToken: string | null
  readonly logLevel: LogLevel
}

/** The name of an agent that was given none: its region and its host. */
export const agentName = (region: Region, host: string): string =>
  `${region}-${host.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`.slice(0, 63)

export type ParsedAgentConfig =
  | { ok: true; config: AgentProcessConfig }
  | { ok: false; problems: string[] }

/** Reads the environment of a process that runs one agent of the mesh. All problems are listed at once. */
export const parseAgentConfig = (environment: Environment): ParsedAgentConfig => {
  const read = readEnvironment(agentEnvironment, environment)
  if (!read.ok) return read
  const given = read.values
  const config = toProcessConfig(given, {
    region: given.REGION,
    agent: given.AGENT ?? agentName(given.REGION, hostname()),
    targetAllow: given.TARGET_ALLOW,
    publicAddresses: given.PUBLIC_ADDRESSES,
    probesUrl: given.PUBLIC_URL === null ? null : probePageUrl(given.PUBLIC_URL),
    chromium: given.CHROMIUM,
    mayGoWithoutSandbox: given.CHROMIUM_WITHOUT_SANDBOX === 'yes',
    way: { kind: 'nats', urls: given.NATS_URL, credentialsPath: given.AGENT_CREDENTIALS },
  })
  return { ok: true, config }
}

/** Whether an environment is one of a private agent. */
export const isPrivateAgent = (environment: Environment): boolean =>
  (environment['MESH_URL']?.trim() ?? '') !== ''

/**
 * Reads the environment of a process that runs a private agent. All problems are listed at once.
 * What it may reach is configured here and nowhere else.
 * @param agentId of its token
 */
export const parsePrivateAgentConfig = (
  environment: Environment,
  agentId: string,
): ParsedAgentConfig => {
  const read = readEnvironment(privateAgentEnvironment, environment, [privateAgentRule])
  if (!read.ok) return read
  const given = read.values
  const region = privateRegion(agentId)
  const config = toProcessConfig(given, {
    region,
    agent: region,
    targetAllow: given.PRIVATE_TARGETS,
    // the owner of the targets knows it
    publicAddresses: [],
    probesUrl: null,
    // it runs no browser checks
    chromium: 'off',
    mayGoWithoutSandbox: false,
    way: { kind: 'relay', url: given.MESH_URL },
  })
  return { ok: true, config }
}

type Shared = Omit<
  ValuesOf<typeof privateAgentEnvironment>,
  'MESH_URL' | 'AGENT_CREDENTIALS' | 'PRIVATE_TARGETS'
>

/** What both kinds of agents read, with what is only of one kind. */
export const toProcessConfig = (
  shared: Shared,
  own: Pick<AgentConfig, 'region' | 'agent'> &
    Pick<
      AgentProcessConfig,
      'targetAllow' | 'publicAddresses' | 'probesUrl' | 'chromium' | 'mayGoWithoutSandbox' | 'way'
    >,
): AgentProcessConfig =>
  Object.freeze({
    agent: Object.freeze({
      region: own.region,
      agent: own.agent,
      dataDirectory: shared.DATA_DIR,
      spoolBytesMax: shared.SPOOL_BYTES_MAX,
      targetAllow: own.targetAllow.cidrs,
      journalPath: shared.JOURNAL,
    }),
    targetAllow: own.targetAllow,
    publicAddresses: own.publicAddresses,
    blockedTargets: shared.BLOCKED_TARGETS,
    targetRequestsPerSecond: shared.TARGET_REQUESTS_PER_SECOND,
    probesUrl: own.probesUrl,
    canaries: shared.CANARIES,
    chromium: own.chromium,
    mayGoWithoutSandbox: own.mayGoWithoutSandbox,
    way: own.way,
    host: shared.HOST,
    port: shared.PORT,
    metricsToken: shared.METRICS_TOKEN,
    logLevel: shared.LOG_LEVEL,
  })
