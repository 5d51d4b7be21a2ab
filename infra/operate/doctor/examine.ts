import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { checkMailServer } from '@probe-mesh/control-plane/notifications/mail/mailer'
import { findRunningStores } from '../../start/stores/running-stores.ts'
import { broken, warning, type Finding, type Gathered } from './findings/finding.ts'
import { busFindings, type BusContext } from './findings/bus-findings.ts'
import { connectionFindings } from './findings/connection-findings.ts'
import { ownPortFindings } from './findings/own-port-findings.ts'
import {
  credentialFinding,
  diskFindings,
  filesFinding,
  mailFinding,
  webFindings,
} from './findings/machine-findings.ts'
import { gatewayFinding, identityFindings } from './findings/identity-findings.ts'
import { gatherGateway, gatherIdentityFacts } from './gather/identity.ts'
import { clickhouseFindings, clusterFindings } from './findings/clickhouse-findings.ts'
import {
  migrationFinding,
  ownClockFindings,
  postgresFindings,
  roleFinding,
} from './findings/store-findings.ts'
import { gatherOpenFiles } from './gather/files.ts'
import { gatherBus } from './gather/bus.ts'
import { agentOfCredentials, gatherCredentials } from './gather/credentials.ts'
import { gather, gatherMsMax } from './gather/gather.ts'
import { gatherClickHouse, gatherCluster } from './gather/clickhouse.ts'
import { findControlPlaneCredentials, gatherOperator, type OperatorFacts } from './gather/operator.ts'
import { gatherOwnPort } from './gather/own-port.ts'
import { gatherPostgres } from './gather/postgres.ts'
import { gatherWeb, metricsTokenOf, webUrl } from './gather/web.ts'

/**
 * Checks every part at the same time. A part that does not answer is a finding, so the command works
 * when nothing else does. It takes as long as the slowest part, a few seconds at most.
 */
export const examine = async (options: {
  config: Config
  environment: Readonly<Record<string, string | undefined>>
  keysDir: string
  now: () => number
}): Promise<Finding[]> => {
  const { config, keysDir, now } = options
  const dataDir = resolve(config.dataDir)
  const running = await findRunningStores(dataDir).catch(() => null)
  const url = await webUrl(config, options.environment)
  const { smtpUrl, natsServers, mcpUrl } = config
  const { databaseUrl, clickhouseUrl } = config
  // a control plane with external servers has no data folder
  const isOnServers = databaseUrl !== null && clickhouseUrl !== null && natsServers !== null
  const hasFolder = !isOnServers || (options.environment['DATA_DIR'] ?? '') !== ''
  const postgresUrl = () => storeUrl(databaseUrl ?? running?.databaseUrl, dataDir)
  const isPlaced = ['PORT', 'HOST'].some((name) => (options.environment[name] ?? '') !== '')
  const hasOwnPort = config.port !== 0 && (isPlaced || isOnServers)
  // another program may own the default port
  const isOwnPort = isPlaced || (options.environment['PUBLIC_URL'] ?? '') === ''
  const [postgres, readings, bus, web, mail, disk, files, credentials, identity, gateway, operator, ownPort] =
    await Promise.all([
      gather(async () => gatherPostgres(postgresUrl(), now)),
      readingsFindings(config, () => storeUrl(running?.clickhouseUrl, dataDir), now),
      natsServers === null ? null : gather(() => gatherBus(config, natsServers, now)),
      gather(async () => gatherWeb(url, await metricsTokenOf(config), now)),
      smtpUrl === null ? null : gather(() => timed(() => checkMailServer(smtpUrl, gatherMsMax))),
      gather(() => readDisk(dataDir)),
      gather(() => gatherOpenFiles(dataDir)),
      gather(() => gatherCredentials(config.natsCredentials, keysDir, now())),
      gather(async () =>
        gatherIdentityFacts(config, {
          databaseUrl: postgresUrl(),
          clickhouseUrl: storeUrl(clickhouseUrl ?? running?.clickhouseUrl, dataDir),
        }),
      ),
      mcpUrl === null ? null : gather(() => gatherGateway(mcpUrl)),
      gather(() => gatherOperator(keysDir, natsServers)),
      hasOwnPort ? gather(() => gatherOwnPort(config)) : null,
    ])
  const known = operator.ok ? operator.facts : null
  const ownAnswer = ownPort?.ok === true ? ownPort.facts : null
  const context = await busContext(config.natsCredentials, keysDir, known)
  return ownClockFindings([
    ...databaseFindings(postgres),
    ...identityFindings(identity),
    ...readings(checksOf(postgres)),
    ...(bus === null ? [] : busFindings(bus, context)),
    ...clientFindings(bus, known, now()),
    ...webFindings(web, url, now(), bus !== null, ownAnswer),
    ...(isOwnPort && ownAnswer !== null ? ownPortFindings(ownAnswer) : []),
    ...(gateway === null || mcpUrl === null ? [] : [gatewayFinding(gateway, mcpUrl)]),
    mailFinding(mail),
    ...(hasFolder ? [...diskFindings(disk, dataDir), filesFinding(files, dataDir)] : []),
    ...(credentials.ok
      ? credentials.facts.map((one) => credentialFinding('credentials', one, now()))
      : [
          broken(
            'credentials',
            `The NATS credentials cannot be read: ${credentials.why}.`,
            'Correct NATS_CREDENTIALS and NATS_KEYS.',
          ),
        ]),
  ])
}

/** Facts of the key folder that explain NATS's answers. */
const busContext = async (
  path: string | null,
  keysDir: string,
  known: OperatorFacts | null,
): Promise<BusContext> => {
  const agents = known?.register.agents ?? []
  const agent = path === null ? null : await agentOfCredentials(path, agents)
  return {
    knownRegions: known?.register.regions ?? null,
    agentOfCredentials: agent === null || path === null ? null : { ...agent, path },
    controlPlaneCredentials: await findControlPlaneCredentials(keysDir),
  }
}

type OfBus = Awaited<ReturnType<typeof gatherBus>>

/** Findings about the clients of the NATS servers, which the operator's keys can list. */
const clientFindings = (
  bus: Gathered<OfBus> | null,
  known: OperatorFacts | null,
  nowMs: number,
): Finding[] => {
  if (known === null || known.connections === null) return []
  const { connections, register } = known
  // connection times are by the servers' clock
  const theirs = bus?.ok === true ? bus.facts.bus.nowMs : null
  return connectionFindings(
    { connections, enrolments: register.agents, regions: register.regions },
    theirs ?? nowMs,
  )
}

/** @throws Error for a store without an address */
const storeUrl = (url: string | undefined, dataDir: string): string => {
  if (url === undefined) throw new Error(`no instance runs on ${dataDir}, and no URL is set`)
  return url
}

type OfPostgres = Awaited<ReturnType<typeof gatherPostgres>>

const databaseFindings = (postgres: Gathered<OfPostgres>): Finding[] => {
  if (!postgres.ok) return postgresFindings(postgres)
  const { facts, migrations, missing } = postgres.facts
  const found = migrationFinding('Postgres', migrations)
  if (facts !== null) return [...postgresFindings({ ok: true, facts }), found]
  return [
    found,
    ...(missing === null ? [] : [roleFinding(missing)]),
    warning(
      'postgres',
      'Postgres answers, but lacks migrations, so its content was not checked.',
      'Start a control plane of this version first.',
    ),
  ]
}

/** How many checks run; null: unknown. */
const checksOf = (postgres: Gathered<OfPostgres>): number | null =>
  postgres.ok ? (postgres.facts.facts?.database?.checks ?? null) : null

/**
 * Queries the server or each server of the cluster. @returns a function from the count of running checks to
 * findings
 */
const readingsFindings = async (
  { clickhouseUrl, clickhouseCluster }: Config,
  ownUrl: () => string,
  now: () => number,
): Promise<(checks: number | null) => Finding[]> => {
  if (clickhouseCluster !== null) {
    const servers = await gatherCluster(clickhouseCluster, now)
    return (checks) => clusterFindings(servers, checks)
  }
  const gathered = await gather(() => gatherClickHouse(clickhouseUrl ?? ownUrl(), now))
  return (checks) => clickhouseFindings(gathered, checks)
}

const timed = async (work: () => Promise<void>): Promise<{ tookMs: number }> => {
  const startedAt = performance.now()
  await work()
  return { tookMs: performance.now() - startedAt }
}

const readDisk = async (path: string) => {
  const { bavail, blocks, bsize } = await statfs(path)
  return { path, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
