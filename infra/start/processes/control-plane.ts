import type { Bus } from '@probe-mesh/bus/port'
import type { CatalogIndex } from '@probe-mesh/control-plane/catalog/catalog-index'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { startControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import type { ControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import { prepareStores } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import { createLog } from '@probe-mesh/control-plane/app/log'
import type { Logger } from 'pino'
import { Registry, collectDefaultMetrics } from 'prom-client'
import { awaitServers } from './ask-servers.ts'
import { holdPort } from './hold-port.ts'
import { loadCatalog } from './control-plane-catalog.ts'
import { openControlPlaneBus, readControlPlaneNats } from './control-plane-bus.ts'
import {
  messageOf,
  parseHelpFlag,
  refuseToStart,
  stopAndExit,
  stopAsked,
  stopOnBug,
} from './process.ts'
import { writePrivateFiles } from './private-files.ts'
import { readCertificate } from './read-certificate.ts'
import { controlPlaneSecrets, withSecretFiles } from './secret-files.ts'
import { serveWeb } from './serve-web.ts'
import { untilThere } from './until-there.ts'

const help = `Probe Mesh, one control plane in a process of its own.

  npm run control-plane
  npm run control-plane -- --help         this text

Environment
  DATABASE_URL      postgres://user:password@host:port/database; required; of a primary and its
                    standbys all with commas between, host:port,host:port: the one that takes writes
                    is found and followed
  CLICKHOUSE_URL    http://user:password@host:port/database; required; of a cluster those of
                    all servers: commas between a shard's replicas, semicolons between shards
  CLICKHOUSE_CLUSTER  the cluster's name in the servers' remote_servers (one server by itself)
  NATS_URL          nats:// or tls:// URLs, commas between; required
  SECRETS_KEY       encrypts channel credentials: 32 characters or more, the same in each; required
  GATEWAY_KEY       what MCP gateways prove themselves by: 32 characters or more (none is trusted)
  NATS_CREDENTIALS  file that "npm run nats-config" wrote: control-plane.creds
  NATS_REPLICAS     how many servers of a NATS cluster keep each message: 1, 3 or 5, the same in each
                    (as it is, which is 1 where it is new)
  HOST, PORT        where it answers the REST API, /healthz, /readyz, /metrics (127.0.0.1, 8080)
  TLS_CERT, TLS_KEY files in PEM: it answers by TLS (none: without)
  PUBLIC_URL        what goes into links and answers (from HOST and PORT)
  ALLOWED_HOSTS     further host names of requests, commas between (that of PUBLIC_URL, and this machine)
  REGIONS           the live regions (iad,sjc,fra,nrt)
  VANTAGE           regional, or local where all agents are on one machine (regional)
  TARGET_ALLOW      CIDRs that may be probed although they are not public; CIDR@accountId opens one
                    to the checks of that account alone
  CHANNEL_ALLOW     CIDRs that notification channels may reach although they are not public, or
                    CIDR@accountId (as TARGET_ALLOW for the operator's first account, none for others)
  BLOCKED_TARGETS   names (with all below them) and CIDRs that do not want to be probed
  TARGET_REQUESTS_PER_MINUTE  of one host, by the checks of all accounts (6000, with BUDGET_SCALE)
  RDAP_BOOTSTRAP    URL of IANA's list of domain registries, which are asked once a day when the
                    domains of checks expire; none asks nobody (https://data.iana.org/rdap/dns.json)
  CONTACT_URL       https:// or mailto:, for whoever is probed, at /probes
  CATALOG_FILE      YAML of the services that everybody may ask about (the built-in catalog)
  CATALOG_INTERVAL_SECONDS  how often each of them is measured, 1 to 3600; both the same in each (60)
  SMTP_URL          smtp:// or smtps:// of the mail server (none: mail is kept, not sent)
  MAIL_FROM         who mail is from; required with SMTP_URL
  SIGN_UP           open, or closed where nobody opens an account by themselves (open)
  METRICS_TOKEN     what readers of /metrics send as Authorization: Bearer (without: this machine only)
  BUDGET_SCALE, TIER_OVERRIDES, TRUST_PROXY, LOG_LEVEL

DATABASE_URL, CLICKHOUSE_URL, SECRETS_KEY, GATEWAY_KEY, SMTP_URL and METRICS_TOKEN may be files:
DATABASE_URL_FILE=/run/secrets/...

Any number of them share the work: each takes its part of the readings, and another one takes it
over within seconds when it dies. It waits a minute for its servers to come. Stop it with SIGTERM:
it hands its part over and finishes what is under way, within 15 seconds.
`

const program = { title: 'The control plane', command: 'npm run control-plane --' }

const required = ['DATABASE_URL', 'CLICKHOUSE_URL', 'NATS_URL', 'SECRETS_KEY']

/** What a control plane on its own cannot do without. */
type Servers = {
  databaseUrl: string
  clickhouseUrl: string
  natsServers: readonly string[]
  secretsKey: string
}

const main = async (): Promise<void> => {
  writePrivateFiles()
  const flags = parseHelpFlag(process.argv.slice(2))
  if (flags.problem !== null) return refuseToStart(program, [flags.problem])
  if (flags.help) return console.log(help)
  const given = withSecretFiles(process.env, controlPlaneSecrets)
  const parsed = parseConfig(given.environment)
  const absent = required.filter(
    (name) =>
      (given.environment[name] ?? '').trim() === '' &&
      !given.problems.some((problem) => problem.startsWith(`${name}_FILE `)),
  )
  const missing = [...given.problems, ...absent.map((name) => `${name} is required`)]
  if (!parsed.ok) return refuseToStart(program, [...parsed.problems, ...missing])
  const { config } = parsed
  const loaded = await loadCatalog(config)
  const problems = [...missing, ...(loaded.ok ? [] : loaded.problems)]
  if (!loaded.ok) return refuseToStart(program, problems)
  const { catalog } = loaded
  const { databaseUrl, clickhouseUrl, natsServers, secretsKey } = config
  if (databaseUrl === null || clickhouseUrl === null) return refuseToStart(program, problems)
  if (natsServers === null || secretsKey === null) return refuseToStart(program, problems)
  if (given.problems.length > 0) return refuseToStart(program, given.problems)
  const log = createLog(config.logLevel)
  stopOnBug(log)
  const asked = stopAsked()
  let running: { close(): Promise<void> }
  try {
    const servers = { databaseUrl, clickhouseUrl, natsServers, secretsKey }
    running = await start(config, servers, catalog, log)
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  await asked
  log.info({}, 'stopping')
  await stopAndExit(running.close, log)
}

const start = async (
  config: Config,
  servers: Servers,
  catalog: CatalogIndex,
  log: Logger,
): Promise<{ close(): Promise<void> }> => {
  const { databaseUrl, clickhouseUrl } = servers
  const clickhouse = { url: clickhouseUrl, cluster: config.clickhouseCluster }
  const tls = await readCertificate(config.tls)
  // before anything is migrated
  const held = await holdPort(config)
  const { natsServers, secretsKey } = servers
  const readNats = () => readControlPlaneNats(config, natsServers, log)
  const natsId = await awaitServers({ databaseUrl, clickhouse, readNats }, log)
  const system = await prepareStores({
    databaseUrl,
    clickhouse,
    readNatsId: async () => natsId,
    secretsKey,
    now: Date.now,
    log,
  })
  const bus = await untilThere(
    'NATS',
    () => openControlPlaneBus(config, natsServers, system, log),
    log,
  )
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const controlPlane = await startControlPlane({
    config,
    databaseUrl,
    clickhouseUrl,
    catalog,
    secretsKey,
    bus,
    registry,
    log,
    now: Date.now,
    vantage: config.vantage ?? 'regional',
    tls,
  })
  serveWeb(controlPlane.app, config)
  await held.release()
  const address = await controlPlane.app.listen({ host: config.host, port: config.port })
  controlPlane.setServing(true)
  log.info({ address }, 'the control plane runs')
  return { close: () => closeAll(controlPlane, bus) }
}

const closeAll = async (controlPlane: ControlPlane, bus: Bus): Promise<void> => {
  controlPlane.setServing(false)
  await controlPlane.app.close()
  await controlPlane.close()
  await bus.close()
}

await main()
