import { secretsOf, environmentHelp } from '@probe-mesh/runtime/env'
import type { Bus } from '@probe-mesh/bus/port'
import type { CatalogIndex } from '@probe-mesh/control-plane/catalog/catalog-index'
import { parseConfig, type Config } from '@probe-mesh/control-plane/app/config'
import { startControlPlane, type ControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import { prepareStores } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import { untilAccepted } from '@probe-mesh/control-plane/stores/retry'
import { isFromStore } from '@probe-mesh/control-plane/stores/store-fault'
import { createLog } from '@probe-mesh/control-plane/app/log'
import type { Logger } from 'pino'
import { Registry, collectDefaultMetrics } from 'prom-client'
import { awaitServers } from './await-servers.ts'
import { holdPort } from './hold-port.ts'
import { loadCatalog } from './control-plane-catalog.ts'
import { openControlPlaneBus, readControlPlaneNats } from './control-plane-bus.ts'
import {
  messageOf,
  parseHelpFlag,
  refuseToStart,
  stopAndExit,
  awaitStopSignal,
  stopOnBug,
} from './process.ts'
import { ownCommand } from './own-command.ts'
import { writePrivateFiles } from './private-files.ts'
import { readCertificate } from './read-certificate.ts'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'
import { serveWeb } from './serve-web.ts'
import { untilAvailable } from './until-available.ts'
import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { startLoopWatch } from '@probe-mesh/runtime/loop-watch'

const own = ownCommand({ script: 'control-plane', command: 'probe-mesh-control-plane' })

const help = `Probe Mesh, one control plane in its own process.

  ${own.call}
  ${own.withFlags} --help   this text

Environment
${environmentHelp(controlPlaneEnvironment)}

A secret may be in a file: DATABASE_URL_FILE=/run/secrets/...

Any number of control planes share the work. When one fails, the others take over its part within
seconds. At the start it waits up to a minute for its servers, and without end for one that is read-only
or has a full disk. Stop it with SIGTERM: it hands over its
part and finishes work in progress within 15 seconds.
`

const program = { title: 'The control plane', command: own.withFlags }

const required = ['DATABASE_URL', 'CLICKHOUSE_URL', 'NATS_URL', 'SECRETS_KEY']

/** The required settings of a control plane in its own process. */
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
  const given = withSecretFiles(process.env, secretsOf(controlPlaneEnvironment))
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
  const log = createLog(config.logLevel, 'control-plane')
  stopOnBug(log, isFromStore)
  startLoopWatch()
  const stopped = awaitStopSignal()
  let running: { close(): Promise<void> }
  try {
    const servers = { databaseUrl, clickhouseUrl, natsServers, secretsKey }
    running = await start(config, servers, catalog, log)
  } catch (error) {
    log.error({ err: error }, 'could not start')
    return refuseToStart(program, [messageOf(error)])
  }
  await stopped
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
  // before the migrations
  const held = await holdPort(config)
  const { natsServers, secretsKey } = servers
  const readNats = () => readControlPlaneNats(config, natsServers, log)
  const natsId = await awaitServers({ databaseUrl, clickhouse, readNats }, log)
  const parts = { databaseUrl, clickhouse, readNatsId: async () => natsId }
  const system = await untilAccepted(log, 'the databases cannot be prepared', () =>
    prepareStores({ ...parts, secretsKey, now: Date.now, log }),
  )
  const bus = await untilAvailable('NATS', () => openControlPlaneBus(config, natsServers, system, log), log)
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
