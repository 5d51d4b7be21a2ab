import { resolve } from 'node:path'
import { markOfRegionKey } from '@probe-mesh/contracts/agent/agent-seal'
import { readDiskSpace } from '@probe-mesh/runtime/disk-space'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { regionKeyOf } from '@probe-mesh/control-plane/secrets/region-key'
import type { NotAllowed } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import { checkMailServer } from '@probe-mesh/control-plane/notifications/mail/mailer'
import { findRunningStores } from '../../start/stores/running-stores.ts'
import { broken, warning, type Finding, type Gathered } from './findings/finding.ts'
import { busFindings, type BusContext } from './findings/bus-findings.ts'
import { channelFindings, operatorChannelFindings } from './findings/channel-findings.ts'
import { controlPlaneFindings } from './findings/control-plane-findings.ts'
import {
  lostRightFindings,
  missingTableFindings,
  serverStateFindings,
} from './findings/postgres-state-findings.ts'
import { connectionFindings } from './findings/connection-findings.ts'
import { ownPortFindings } from './findings/own-port-findings.ts'
import {
  credentialFinding,
  diskFindings,
  filesFinding,
  mailFinding,
  webFindings,
} from './findings/machine-findings.ts'
import { gatewayFindings, identityFindings } from './findings/identity-findings.ts'
import { gatherGateway, gatherIdentityFacts } from './gather/identity.ts'
import { clickhouseFindings, clusterFindings } from './findings/clickhouse-findings.ts'
import {
  migrationFinding,
  noPostgresFinding,
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
import { gatherPostgres, type GatheredPostgres } from './gather/postgres.ts'
import { processStateOf } from './gather/process-state.ts'
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
  const { smtpUrl, natsServers, mcpUrl, databaseUrl, clickhouseUrl } = config
  const { hasFolder, hasOwnPort, isOwnPort } = placeOf(config, options.environment)
  const postgresUrl = () => storeUrl(databaseUrl ?? running?.databaseUrl, dataDir)
  const [postgres, readings, bus, web, mail, disk, files, credentials, identity, gateway, operator, ownPort] =
    await Promise.all([
      gather(async (patience) => gatherPostgres(postgresUrl(), now, patience)),
      readingsFindings(config, () => storeUrl(running?.clickhouseUrl, dataDir), now),
      natsServers === null ? null : gather(() => gatherBus(config, natsServers, now)),
      gather(async (patience) => gatherWeb(url, await metricsTokenOf(config), now, patience)),
      smtpUrl === null
        ? null
        : gather((patience) => timed(() => checkMailServer(smtpUrl, gatherMsMax * patience))),
      gather(() => readDisk(dataDir)),
      gather(() => gatherOpenFiles(dataDir)),
      gather(() => gatherCredentials(config.natsCredentials, keysDir, now())),
      gather(async () =>
        gatherIdentityFacts(config, {
          databaseUrl: postgresUrl(),
          clickhouseUrl: storeUrl(clickhouseUrl ?? running?.clickhouseUrl, dataDir),
        }),
      ),
      mcpUrl === null ? null : gather((patience) => gatherGateway(mcpUrl, patience)),
      gather(() => gatherOperator(keysDir, natsServers)),
      hasOwnPort ? gather(async () => gatherOwnPort(config, await metricsTokenOf(config))) : null,
    ])
  const known = factsOf(operator)
  const ownAnswer = factsOf(ownPort)
  const database = factsOf(postgres)?.facts?.database ?? null
  const context = {
    ...(await busContext(config.natsCredentials, keysDir, known)),
    expected: {
      regionKeyMark: config.secretsKey === null ? null : markOf(config.secretsKey),
      hasSecrets: database?.hasSecrets ?? false,
      targetAllow: config.targetAllow.cidrs,
      notAllowed: readings.notAllowed,
    },
  }
  return ownClockFindings([
    ...databaseFindings(postgres, config),
    ...identityFindings(identity),
    ...readings.findings(database?.checks ?? null),
    ...(bus === null ? [] : busFindings(bus, context)),
    ...clientFindings(bus, known, now()),
    ...webFindings(web, url, now(), bus !== null, ownAnswer),
    ...(isOwnPort && ownAnswer !== null ? ownPortFindings(ownAnswer) : []),
    ...(gateway === null || mcpUrl === null ? [] : gatewayFindings(gateway, mcpUrl)),
    mailFinding(mail),
    ...(hasFolder ? [...diskFindings(disk, dataDir), filesFinding(files, dataDir)] : []),
    ...credentialFindings(credentials, now()),
  ])
}

/** What this machine has of its own, by the configuration. */
const placeOf = (
  { port, databaseUrl, clickhouseUrl, natsServers }: Config,
  environment: Readonly<Record<string, string | undefined>>,
) => {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== ''
  // a control plane with external servers has no data folder
  const isOnServers = databaseUrl !== null && clickhouseUrl !== null && natsServers !== null
  const isPlaced = isSet('PORT') || isSet('HOST')
  return {
    hasFolder: !isOnServers || isSet('DATA_DIR'),
    hasOwnPort: port !== 0 && (isPlaced || isOnServers),
    // another program may own the default port
    isOwnPort: isPlaced || !isSet('PUBLIC_URL'),
  }
}

const factsOf = <T>(gathered: Gathered<T> | null): T | null => (gathered?.ok === true ? gathered.facts : null)

type OfCredentials = Awaited<ReturnType<typeof gatherCredentials>>

const credentialFindings = (credentials: Gathered<OfCredentials>, nowMs: number): Finding[] =>
  credentials.ok
    ? credentials.facts.map((one) => credentialFinding('credentials', one, nowMs))
    : [
        broken(
          'credentials',
          `The NATS credentials cannot be read: ${credentials.why}.`,
          'Correct NATS_CREDENTIALS and NATS_KEYS.',
        ),
      ]

/** Facts of the key folder that explain NATS's answers. */
const busContext = async (
  path: string | null,
  keysDir: string,
  known: OperatorFacts | null,
): Promise<Omit<BusContext, 'expected'>> => {
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

/** The mark of the key of each region. */
const markOf =
  (secretsKey: string) =>
  (region: string): string =>
    markOfRegionKey(regionKeyOf(secretsKey, region))

/** @throws Error for a store without an address */
const storeUrl = (url: string | undefined, dataDir: string): string => {
  if (url === undefined) throw new Error(`no instance runs on ${dataDir}, and no URL is set`)
  return url
}

const databaseFindings = (
  postgres: Gathered<GatheredPostgres>,
  { publicUrl, operatorChannel }: Pick<Config, 'publicUrl' | 'operatorChannel'>,
): Finding[] => {
  if (!postgres.ok) return [noPostgresFinding(postgres)]
  const { server, facts, migrations, missing, missingTables, lostRights } = postgres.facts
  const found = [
    ...serverStateFindings(server),
    ...(migrations === null ? [] : [migrationFinding('Postgres', migrations)]),
    ...missingTableFindings(missingTables),
    ...lostRightFindings(lostRights),
  ]
  if (facts !== null) {
    const { controlPlanes, failingChannels, operatorChannels, nowMs } = facts.database
    return [
      ...found,
      ...postgresFindings(facts),
      ...controlPlaneFindings(controlPlanes, processStateOf),
      ...channelFindings(failingChannels, nowMs, publicUrl),
      ...operatorChannelFindings(operatorChannel, operatorChannels, publicUrl),
    ]
  }
  return [
    ...found,
    ...(missing === null ? [] : [roleFinding(missing)]),
    warning(
      'postgres',
      'Postgres answers, but its content was not checked.',
      found.some(({ level }) => level !== 'ok')
        ? 'Repair what this list names first, and run this command again.'
        : 'Start a control plane of this version first.',
    ),
  ]
}

type OfReadings = {
  /** @param checks that run; null: unknown */
  findings(checks: number | null): Finding[]
  notAllowed: readonly NotAllowed[]
}

/** Queries the server or each server of the cluster. */
const readingsFindings = async (
  { clickhouseUrl, clickhouseCluster }: Config,
  ownUrl: () => string,
  now: () => number,
): Promise<OfReadings> => {
  if (clickhouseCluster !== null) {
    const servers = await gatherCluster(clickhouseCluster, now)
    const notAllowed = servers.flatMap(({ gathered }) => (gathered.ok ? gathered.facts.notAllowed : []))
    return { findings: (checks) => clusterFindings(servers, checks), notAllowed }
  }
  const gathered = await gather(async () => gatherClickHouse(clickhouseUrl ?? ownUrl(), now))
  return {
    findings: (checks) => clickhouseFindings(gathered, checks),
    notAllowed: gathered.ok ? gathered.facts.notAllowed : [],
  }
}

const timed = async (work: () => Promise<void>): Promise<{ tookMs: number }> => {
  const startedAt = performance.now()
  await work()
  return { tookMs: performance.now() - startedAt }
}

const readDisk = async (path: string) => ({ path, ...(await readDiskSpace(path)) })
