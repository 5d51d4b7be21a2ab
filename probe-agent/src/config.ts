import { hostname } from 'node:os'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { LogLevel } from '@probe-mesh/runtime/log-level'
import { probePageUrl } from '@probe-mesh/contracts/agent/probe-identity'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { readEnvironment, type Environment } from '@probe-mesh/runtime/env'
import { networkRule, openNetwork, type Network, type NetworkSetting } from '@probe-mesh/runtime/network'
import type { ValuesOf } from '@probe-mesh/runtime/setting'
import { agentEnvironment, privateAgentEnvironment, privateAgentRule } from './environment.ts'
import type { Canary } from './run/connectivity.ts'

/** Configuration of one agent. A process with several agents builds one for each. */
export type AgentConfig = {
  readonly region: Region
  /** Unique among running agents and stable across restarts: it names the spool. */
  readonly agent: string
  readonly dataDirectory: string
  readonly spoolBytesMax: number
  /** CIDR blocks that probes may reach although they are not public. */
  readonly targetAllow: readonly string[]
  /** File for the ids of readings, for an audit; null: none. */
  readonly journalPath: string | null
}

/** How an agent reaches the mesh. */
type MeshConnection =
  | {
      readonly kind: 'nats'
      /** `nats://` or `tls://`, at least one; may hold a password. */
      readonly urls: readonly string[]
      /** A file with an nkey seed or NATS credentials; null: the server needs none. */
      readonly credentialsPath: string | null
    }
  /**
   * A private agent connects to a control plane, at a URL without a trailing slash, with its own
   * token.
   */
  | { readonly kind: 'relay'; readonly url: string; readonly network: Network }

/** Configuration of a process that runs one agent. */
export type AgentProcessConfig = {
  readonly agent: AgentConfig
  readonly targetAllow: AllowList
  /** Source addresses of its requests, as targets see them; empty: unknown. */
  readonly publicAddresses: readonly string[]
  readonly blockedTargets: DenyList
  /** Connections per second to one address, by all agents of the region together. */
  readonly targetRequestsPerSecond: number
  /** Page that tells targets about the probes; null: none. */
  readonly probesUrl: string | null
  readonly canaries: readonly Canary[]
  /** Opens the secrets of checks; null: none, or the token of a private agent does. */
  readonly regionKey: string | null
  /** Path of Chromium, or `off`; null: search the usual places. */
  readonly chromium: string | null
  /** Whether Chromium may run without its sandbox when the sandbox does not work. */
  readonly allowsUnsandboxed: boolean
  readonly connection: MeshConnection
  /** Address of health and metrics. */
  readonly host: string
  readonly port: number
  /** Bearer token for `/metrics`; null: only this machine may read. */
  readonly metricsToken: string | null
  readonly logLevel: LogLevel
}

/** The default name of an agent: its region and its host. */
export const agentName = (region: Region, host: string): string =>
  `${region}-${host.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`.slice(0, 63)

type ParsedAgentConfig = { ok: true; config: AgentProcessConfig } | { ok: false; problems: string[] }

/** Reads the environment of a process that runs one mesh agent. Returns all problems at once. */
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
    regionKey: given.REGION_KEY,
    chromium: given.CHROMIUM,
    allowsUnsandboxed: given.CHROMIUM_WITHOUT_SANDBOX === 'yes',
    connection: { kind: 'nats', urls: given.NATS_URL, credentialsPath: given.AGENT_CREDENTIALS },
  })
  return { ok: true, config }
}

/** Whether the environment is that of a private agent. */
export const isPrivateAgent = (environment: Environment): boolean =>
  (environment['MESH_URL']?.trim() ?? '') !== ''

/**
 * Reads the environment of a process that runs a private agent. Returns all problems at once. Only
 * this environment decides what the agent may reach.
 * @param agentId from its token
 */
export const parsePrivateAgentConfig = (environment: Environment, agentId: string): ParsedAgentConfig => {
  const read = readEnvironment(privateAgentEnvironment, environment, [privateAgentRule, networkRule])
  if (!read.ok) return read
  const given = read.values
  const region = privateRegion(agentId)
  const config = toProcessConfig(given, {
    region,
    agent: region,
    targetAllow: given.PRIVATE_TARGETS,
    // the owner of the targets knows the agent
    publicAddresses: [],
    probesUrl: null,
    // the token is the key
    regionKey: null,
    // private agents run no browser checks
    chromium: 'off',
    allowsUnsandboxed: false,
    connection: {
      kind: 'relay',
      url: given.MESH_URL,
      network: openNetwork(environment, { certificates: given.CA_FILE }),
    },
  })
  return { ok: true, config }
}

type Shared = Omit<
  ValuesOf<typeof privateAgentEnvironment>,
  'MESH_URL' | 'AGENT_CREDENTIALS' | 'PRIVATE_TARGETS' | NetworkSetting
>

/** Combines the shared settings with those of one kind of agent. */
const toProcessConfig = (
  shared: Shared,
  own: Pick<AgentConfig, 'region' | 'agent'> &
    Pick<
      AgentProcessConfig,
      | 'targetAllow'
      | 'publicAddresses'
      | 'probesUrl'
      | 'regionKey'
      | 'chromium'
      | 'allowsUnsandboxed'
      | 'connection'
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
    regionKey: own.regionKey,
    chromium: own.chromium,
    allowsUnsandboxed: own.allowsUnsandboxed,
    connection: own.connection,
    host: shared.HOST,
    port: shared.PORT,
    metricsToken: shared.METRICS_TOKEN,
    logLevel: shared.LOG_LEVEL,
  })
