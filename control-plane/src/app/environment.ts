import { accessLogSetting } from '@probe-mesh/runtime/access-log'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { gatewayKey } from '@probe-mesh/contracts/outage/gateway'
import { logLevel } from '@probe-mesh/runtime/log-level'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { allowedTargets, blockedTargets } from '@probe-mesh/contracts/target/target-settings'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { trustProxy } from '@probe-mesh/contracts/target/trust-proxy'
import { needs, together, type Rule } from '@probe-mesh/runtime/env'
import { metricsToken } from '@probe-mesh/runtime/metrics-page'
import { networkEnvironment, networkRule, proxyNames } from '@probe-mesh/runtime/network'
import {
  list,
  matching,
  oneOf,
  optional,
  path,
  port,
  right,
  text,
  url,
  wholeNumber,
  withDefault,
} from '@probe-mesh/runtime/setting'
import { targetRequestsPerMinuteDefault } from '../targets/target-budget.ts'
import { parseClickHouse } from '../stores/clickhouse/cluster-address.ts'
import {
  budgetScale,
  databaseUrl,
  mailFrom,
  natsReplicas,
  natsServers,
  rdapBootstrap,
  rdapBootstrapDefault,
  regions,
  tiers,
} from './environment-kinds.ts'

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ownServer = 'required; `npm start` runs its own'
const isSecret = { isSecret: true }
const hosts = list<string[]>('host names', right)

/** Every variable that a control plane reads. */
export const controlPlaneEnvironment = {
  DATABASE_URL: optional(
    databaseUrl,
    ownServer,
    'Postgres: one host, or a primary and all its standbys. The control plane uses the host that accepts writes.',
    isSecret,
  ),
  CLICKHOUSE_URL: optional(
    text,
    ownServer,
    'ClickHouse: the URL of one server. For a cluster the URLs of all servers, commas between the replicas of a shard and semicolons between shards.',
    isSecret,
  ),
  CLICKHOUSE_CLUSTER: optional(
    text,
    'one server',
    'Name of the ClickHouse cluster in the `remote_servers` of its servers.',
  ),
  NATS_URL: optional(natsServers, ownServer, 'NATS: one server, or several of a cluster.'),
  NATS_CREDENTIALS: optional(
    path,
    'no credentials',
    'File `control-plane.creds`, written by `npm run nats-config`.',
  ),
  NATS_REPLICAS: optional(
    natsReplicas,
    'unchanged; 1 for a new stream',
    'Number of NATS servers that store each message. The same for every control plane.',
  ),
  SECRETS_KEY: optional(
    matching('text, at least 32 characters', /^.{32,}$/s, 'must have at least 32 characters'),
    'required; `npm start` creates one in `secrets.key` of `DATA_DIR`',
    'Encrypts the credentials of notification channels. The same for every control plane. If it is lost, every channel has to be configured again.',
    isSecret,
  ),
  GATEWAY_KEY: optional(
    gatewayKey,
    'no gateway is trusted',
    'Credential of MCP gateways. The same for every control plane and gateway.',
    isSecret,
  ),
  HOST: withDefault(text, '127.0.0.1', 'Address to listen on.'),
  PORT: withDefault(port, 8080, 'Port of the REST API, the pages, `/healthz`, `/readyz` and `/metrics`.'),
  TLS_CERT: optional(path, 'no TLS', 'PEM file with the certificate. Requires `TLS_KEY`.'),
  TLS_KEY: optional(path, 'no TLS', 'PEM file with the private key of `TLS_CERT`.'),
  PUBLIC_URL: optional(
    url('http', 'https'),
    'from `HOST` and `PORT`',
    'URL of the service, as clients reach it. Links, feeds and mails contain it.',
  ),
  ALLOWED_HOSTS: withDefault(
    hosts,
    [],
    'Further host names that requests may use, in addition to the host of `PUBLIC_URL`, the names of this machine and the address of the connection.',
    { shown: 'none' },
  ),
  MCP_URL: optional(url('http', 'https'), 'unknown', 'URL of the MCP gateway, for links.'),
  DATA_DIR: withDefault(
    path,
    '.data',
    'Folder of the embedded databases, the spools and the generated credentials.',
  ),
  REGIONS: withDefault(regions, regionsDefault, 'Regions that checks may be measured from.', {
    shown: regionsDefault.join(','),
  }),
  VANTAGE: optional(
    oneOf('local', 'regional'),
    'regional; `npm start`: local',
    'Set `local` where the agents of all regions run on one machine.',
  ),
  TARGET_ALLOW: withDefault(
    allowedTargets,
    allowNothing,
    'Networks that may be probed although they are not public. `CIDR@account id` allows one to the checks of that account.',
    { shown: 'none' },
  ),
  CHANNEL_ALLOW: optional(
    allowedTargets,
    "`TARGET_ALLOW` for the operator's first account, none for others",
    'Networks that notification channels may reach although they are not public.',
  ),
  BLOCKED_TARGETS: withDefault(
    blockedTargets,
    denyNothing,
    'Targets that are never probed: names, with all names below them, and networks.',
    { shown: 'none' },
  ),
  ...networkEnvironment,
  PROXY_NAMES: proxyNames,
  TARGET_REQUESTS_PER_MINUTE: optional(
    wholeNumber({ min: 1, max: 1_000_000_000, unit: 'requests/minute' }),
    `${targetRequestsPerMinuteDefault}, times \`BUDGET_SCALE\` where that is above 1`,
    'Limit of requests to one host, by the checks of all accounts together.',
  ),
  RDAP_BOOTSTRAP: withDefault(
    rdapBootstrap,
    rdapBootstrapDefault,
    'List of the RDAP servers that report when the domain of a check expires. `none`: no registry is queried.',
    { shown: rdapBootstrapDefault },
  ),
  CONTACT_URL: optional(
    url('https', 'http', 'mailto'),
    'none',
    'Contact for owners of probed targets, shown at `/probes`.',
  ),
  CATALOG_FILE: optional(
    path,
    'the built-in catalog',
    'YAML file of the services with a public status. A service that is removed is no longer measured and keeps its history.',
  ),
  CATALOG_INTERVAL_SECONDS: withDefault(
    wholeNumber({ min: 1, max: 3_600, unit: 'seconds' }),
    60,
    'Interval at which each region measures each service of the catalog.',
  ),
  TRUST_PROXY: withDefault(
    trustProxy,
    false,
    'Proxies whose `X-Forwarded-For` is believed. It decides the client address in rate limits and in the audit log.',
    { shown: 'off' },
  ),
  BUDGET_SCALE: withDefault(budgetScale, 1, 'Factor for all request budgets of keys, users and addresses.'),
  TIER_OVERRIDES: withDefault(
    tiers,
    tiersDefault,
    'Limits of plans that differ from the built-in ones, such as `{"growth":{"monitors":500}}`.',
    { shown: 'none' },
  ),
  METRICS_TOKEN: optional(
    metricsToken,
    'only this machine may read; `npm start` creates one in `credentials.json`',
    'Token that readers of `/metrics` send as `Authorization: Bearer`.',
    isSecret,
  ),
  SMTP_URL: optional(
    url('smtp', 'smtps'),
    'mail is stored and not sent',
    'Mail server. Requires `MAIL_FROM`.',
    isSecret,
  ),
  MAIL_FROM: optional(mailFrom, 'none', 'Sender of mail.'),
  OPERATOR_CHANNEL: optional(
    matching('the id of a channel', uuidForm, 'must be the id of a channel'),
    'no message is sent',
    "Channel that gets one message when a fault of the mesh itself begins and one when it ends. A channel of the operator's first account.",
  ),
  SIGN_UP: withDefault(
    oneOf('open', 'closed'),
    'open',
    'Whether people open free accounts at `/signup`. `closed`: only the operator creates accounts.',
  ),
  ERROR_TRACKING: withDefault(
    oneOf('on', 'off'),
    'on',
    '`off`: events are refused, pages and API of errors answer SV-3008, and no loop stores events or sends alerts for them. The same for every control plane.',
  ),
  HEARTBEAT_URL: optional(
    url('http', 'https'),
    'none',
    'Requested with GET each minute by one control plane while readings are measured and stored, such as the ping URL of a heartbeat check on another mesh. That service reports when this mesh is silent.',
    isSecret,
  ),
  ACCESS_LOG: accessLogSetting,
  LOG_LEVEL: withDefault(logLevel, 'info', 'Lowest level that is logged.'),
}

const clickHouse: Rule = (textOf) => {
  const problems: string[] = []
  parseClickHouse(textOf('CLICKHOUSE_URL'), textOf('CLICKHOUSE_CLUSTER'), (name, message) =>
    problems.push(`${name} ${message}`),
  )
  return problems
}

export const controlPlaneRules: readonly Rule[] = [
  together('TLS_CERT', 'TLS_KEY'),
  needs('SMTP_URL', 'MAIL_FROM'),
  clickHouse,
  networkRule,
]
