import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { hostInUrl } from '@probe-mesh/contracts/target/host-in-url'
import type { LogLevel } from '@probe-mesh/runtime/log-level'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { TrustProxy } from '@probe-mesh/contracts/target/trust-proxy'
import { allowedHostsOf } from '@probe-mesh/runtime/allowed-hosts'
import { readEnvironment } from '@probe-mesh/runtime/env'
import type { Environment } from '@probe-mesh/runtime/env'
import { targetRequestsPerMinuteDefault } from '../targets/target-budget.ts'
import { parseClickHouse } from '../stores/clickhouse/cluster-address.ts'
import type { ClusterAddress } from '../stores/clickhouse/cluster-address.ts'
import { controlPlaneEnvironment, controlPlaneRules } from './environment.ts'
import type { NatsReplicas } from './environment-kinds.ts'
import type { Sender } from '../notifications/mail/mail.ts'

/** Where the certificate and the key are by which a server proves itself: paths of PEM files. */
export type TlsPaths = { readonly certificate: string; readonly key: string }

/** The environment of a control plane, parsed once at start; nothing else reads it (S-3204). */
export type Config = {
  readonly host: string
  readonly port: number
  /** Without a slash at its end; the REST API is `<publicUrl>/v1`. */
  readonly publicUrl: string
  /** Host names that a request may be for. */
  readonly allowedHosts: readonly string[]
  /** Where the gateway's endpoints are, for links; null: nobody said where. */
  readonly mcpUrl: string | null
  readonly dataDir: string
  /** null: the embedded server. */
  readonly databaseUrl: string | null
  readonly clickhouseUrl: string | null
  /** null: `clickhouseUrl` is a server by itself; else it is the first of these. */
  readonly clickhouseCluster: ClusterAddress | null
  /** null: the bus is in the process. */
  readonly natsServers: readonly string[] | null
  /** A file with the control plane's nkey seed or creds; null: NATS asks for none. */
  readonly natsCredentials: string | null
  /** How many servers of a cluster keep each message; null: as it is, which is one where it is new. */
  readonly natsReplicas: NatsReplicas | null
  /** null: it answers without TLS, as on the loopback or behind a proxy on its machine. */
  readonly tls: TlsPaths | null
  readonly regions: readonly Region[]
  /** Where measurements come from: `local` when all agents are on one machine; null: as it is run. */
  readonly vantage: 'local' | 'regional' | null
  readonly targetAllow: AllowList
  /** What notification channels may reach although it is not public; null: as `channelAllowOf` says. */
  readonly channelAllow: AllowList | null
  /** What does not want to be probed. */
  readonly blockedTargets: DenyList
  /** What the checks of all accounts may ask of one host: in bulk as much more as keys may. */
  readonly targetRequestsPerMinute: number
  /** IANA's list of the registries of domains; null: none is asked. */
  readonly rdapBootstrap: string | null
  /** Where operators of targets reach whoever runs the mesh; null: nobody said where. */
  readonly contactUrl: string | null
  /** The file of the services that everybody may ask about; null: the built-in catalog. */
  readonly catalogFile: string | null
  /** How often each of them is measured from each region. */
  readonly catalogIntervalSeconds: number
  /** false, or the addresses and CIDRs whose `X-Forwarded-For` counts. */
  readonly trustProxy: TrustProxy
  readonly budgetScale: number
  /** Encrypts the credentials of notification channels; null: none was given. */
  readonly secretsKey: string | null
  /** What gateways prove themselves by; null: none is trusted. */
  readonly gatewayKey: string | null
  /** What readers of `/metrics` send; null: it answers this machine only. */
  readonly metricsToken: string | null
  /** null: mail is kept and not sent. */
  readonly smtpUrl: string | null
  /** Who mail is from; set where `smtpUrl` is. */
  readonly mailFrom: Sender | null
  /** Whether people open accounts by themselves. */
  readonly signUp: 'open' | 'closed'
  readonly logLevel: LogLevel
  readonly tiers: Readonly<Record<Tier, TierLimits>>
}

export type ParsedConfig = { ok: true; config: Config } | { ok: false; problems: string[] }

/** Reads the environment. All problems are listed at once. */
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
    // its problems are those of a rule
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
      given.TARGET_REQUESTS_PER_MINUTE ??
      targetRequestsPerMinuteDefault * Math.max(1, given.BUDGET_SCALE),
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
    signUp: given.SIGN_UP,
    logLevel: given.LOG_LEVEL,
    tiers: given.TIER_OVERRIDES,
  }
  return { ok: true, config: Object.freeze(config) }
}

const withoutSlash = (url: string | null): string | null => url?.replace(/\/+$/, '') ?? null
