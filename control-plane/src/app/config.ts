import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { hostInUrl } from '@probe-mesh/contracts/target/host-in-url'
import type { LogLevel } from '@probe-mesh/runtime/log-level'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { TrustProxy } from '@probe-mesh/contracts/target/trust-proxy'
import { allowedHostsOf } from '@probe-mesh/runtime/allowed-hosts'
import { readEnvironment, type Environment } from '@probe-mesh/runtime/env'
import { openNetwork, type Network } from '@probe-mesh/runtime/network'
import { targetRequestsPerMinuteDefault } from '../targets/target-budget.ts'
import { parseClickHouse, type ClusterAddress } from '../stores/clickhouse/cluster-address.ts'
import { controlPlaneEnvironment, controlPlaneRules } from './environment.ts'
import type { NatsReplicas } from './environment-kinds.ts'
import type { Sender } from '../notifications/mail/mail.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

/** The paths of a server's certificate and private key, in PEM. */
type TlsPaths = { readonly certificate: string; readonly key: string }

/** The environment of a control plane, parsed once at start. No other code reads it (S-3204). */
export type Config = {
  readonly host: string
  readonly port: number
  /** Without a slash at its end; the REST API is `<publicUrl>/v1`. */
  readonly publicUrl: string
  /** The host names that the server answers for. */
  readonly allowedHosts: readonly string[]
  /** The URL of the MCP gateway, for links; null: unknown. */
  readonly mcpUrl: string | null
  readonly dataDir: string
  /** null: the embedded server. */
  readonly databaseUrl: string | null
  readonly clickhouseUrl: string | null
  /** null: `clickhouseUrl` is a single server. Otherwise it is the first server of the cluster. */
  readonly clickhouseCluster: ClusterAddress | null
  /** null: the bus runs in this process. */
  readonly natsServers: readonly string[] | null
  /** A file with the control plane's nkey seed or creds; null: NATS needs none. */
  readonly natsCredentials: string | null
  /** The number of servers that store each message; null: unchanged, and 1 for a new stream. */
  readonly natsReplicas: NatsReplicas | null
  /** null: without TLS, for the loopback or behind a proxy on the same machine. */
  readonly tls: TlsPaths | null
  readonly regions: readonly Region[]
  /** `local` if all agents run on one machine; null: the entry point decides. */
  readonly vantage: 'local' | 'regional' | null
  readonly targetAllow: AllowList
  /** Private networks that notification channels may reach; null: see `channelAllowOf`. */
  readonly channelAllow: AllowList | null
  /** Targets that are never probed. */
  readonly blockedTargets: DenyList
  /** The limit of requests to one host by the checks of all accounts. */
  readonly targetRequestsPerMinute: number
  /** The proxy and the authorities of outgoing requests; no probe uses them. */
  readonly network: Network
  /** IANA's list of domain registries; null: no registry is queried. */
  readonly rdapBootstrap: string | null
  /** The contact for operators of targets; null: none. */
  readonly contactUrl: string | null
  /** The file with the services that have a public status; null: the built-in catalog. */
  readonly catalogFile: string | null
  /** The interval at which each region measures each service. */
  readonly catalogIntervalSeconds: number
  /** false, or the addresses and CIDRs whose `X-Forwarded-For` counts. */
  readonly trustProxy: TrustProxy
  readonly budgetScale: number
  /** Encrypts the credentials of notification channels; null: not set. */
  readonly secretsKey: string | null
  /** The credential of gateways; null: no gateway is trusted. */
  readonly gatewayKey: string | null
  /** The token for `/metrics`; null: only this machine may read. */
  readonly metricsToken: string | null
  /** null: mail is stored and not sent. */
  readonly smtpUrl: string | null
  /** The sender of mail; set if `smtpUrl` is. */
  readonly mailFrom: Sender | null
  /** The channel that gets messages about the mesh itself; null: none. */
  readonly operatorChannel: string | null
  /** Whether people can sign up. */
  readonly signUp: 'open' | 'closed'
  /** Whether events of errors are accepted, stored and shown. */
  readonly errorTracking: 'on' | 'off'
  /** Requested each minute while the mesh measures; null: none. */
  readonly heartbeatUrl: string | null
  readonly accessLog: 'on' | 'off'
  readonly logLevel: LogLevel
  readonly tiers: Readonly<Record<Tier, TierLimits>>
}

type ParsedConfig = { ok: true; config: Config } | { ok: false; problems: string[] }

/** Parses the environment and lists all problems. */
export const parseConfig = (environment: Environment): ParsedConfig => {
  const read = readEnvironment(controlPlaneEnvironment, environment, controlPlaneRules)
  if (!read.ok) return read
  const given = read.values
  const tls =
    given.TLS_CERT === null || given.TLS_KEY === null
      ? null
      : { certificate: given.TLS_CERT, key: given.TLS_KEY }
  const publicUrl =
    withoutSlash(given.PUBLIC_URL) ??
    `${tls === null ? 'http' : 'https'}://${hostInUrl(given.HOST)}:${given.PORT}`
  const config: Config = {
    host: given.HOST,
    port: given.PORT,
    publicUrl,
    allowedHosts: allowedHostsOf([publicUrl], given.ALLOWED_HOSTS),
    mcpUrl: withoutSlash(given.MCP_URL),
    dataDir: given.DATA_DIR,
    databaseUrl: given.DATABASE_URL,
    // `controlPlaneRules` reports its problems
    ...parseClickHouse(given.CLICKHOUSE_URL, given.CLICKHOUSE_CLUSTER, () => undefined),
    natsServers: given.NATS_URL,
    natsCredentials: given.NATS_CREDENTIALS,
    natsReplicas: given.NATS_REPLICAS,
    tls,
    regions: given.REGIONS,
    vantage: given.VANTAGE,
    targetAllow: given.TARGET_ALLOW,
    channelAllow: given.CHANNEL_ALLOW,
    blockedTargets: given.BLOCKED_TARGETS,
    targetRequestsPerMinute:
      given.TARGET_REQUESTS_PER_MINUTE ?? targetRequestsPerMinuteDefault * Math.max(1, given.BUDGET_SCALE),
    network: openNetwork(environment, { certificates: given.CA_FILE, namesAtProxy: given.PROXY_NAMES }),
    rdapBootstrap: given.RDAP_BOOTSTRAP,
    contactUrl: given.CONTACT_URL,
    catalogFile: given.CATALOG_FILE,
    catalogIntervalSeconds: given.CATALOG_INTERVAL_SECONDS,
    trustProxy: given.TRUST_PROXY,
    budgetScale: given.BUDGET_SCALE,
    secretsKey: given.SECRETS_KEY,
    gatewayKey: given.GATEWAY_KEY,
    metricsToken: given.METRICS_TOKEN,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM,
    operatorChannel: given.OPERATOR_CHANNEL,
    signUp: given.SIGN_UP,
    errorTracking: given.ERROR_TRACKING,
    heartbeatUrl: given.HEARTBEAT_URL,
    accessLog: given.ACCESS_LOG,
    logLevel: given.LOG_LEVEL,
    tiers: given.TIER_OVERRIDES,
  }
  return { ok: true, config: Object.freeze(config) }
}

const withoutSlash = (url: string | null): string | null => (url === null ? null : withoutEnd(url, '/'))
