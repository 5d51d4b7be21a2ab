import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '@probe-mesh/control-plane/config'
import { checkMailServer } from '@probe-mesh/control-plane/mail/check-mail-server'
import { findRunningStores } from '../embedded/running-stores.ts'
import { broken, warning } from './finding.ts'
import type { Finding, Gathered } from './finding.ts'
import { busFindings } from './findings/bus-findings.ts'
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
import { migrationFinding, postgresFindings } from './findings/store-findings.ts'
import { gatherOpenFiles } from './gather/files.ts'
import { gatherBus } from './gather/bus.ts'
import { gatherKnocks } from './gather/knocks.ts'
import { knockFindings } from './findings/knock-findings.ts'
import { gatherCredentials } from './gather/credentials.ts'
import { gather, gatherMsMax } from './gather/gather.ts'
import { gatherClickHouse, gatherCluster } from './gather/clickhouse.ts'
import { gatherPostgres } from './gather/postgres.ts'
import { gatherWeb, metricsTokenOf, webUrl } from './gather/web.ts'

/**
 * Looks at every part at once and says of each how it stands. What cannot be asked is a finding, so
 * that this works where nothing else does; it takes as long as the slowest, a few seconds at most.
 */
export const examine = async (asked: {
  config: Config
  environment: Readonly<Record<string, string | undefined>>
  keysDir: string
  now: () => number
}): Promise<Finding[]> => {
  const { config, keysDir, now } = asked
  const dataDir = resolve(config.dataDir)
  const running = await findRunningStores(dataDir).catch(() => null)
  const url = await webUrl(config, asked.environment)
  const { smtpUrl, natsServers, mcpUrl } = config
  const { databaseUrl, clickhouseUrl } = config
  // a control plane on servers of its own keeps nothing in a folder
  const isOnServers = databaseUrl !== null && clickhouseUrl !== null && natsServers !== null
  const hasFolder = !isOnServers || (asked.environment['DATA_DIR'] ?? '') !== ''
  const postgresUrl = () => storeUrl(databaseUrl ?? running?.databaseUrl, dataDir)
  const [postgres, readings, bus, web, mail, disk, files, credentials, identity, gateway, knocks] =
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
      natsServers === null ? null : gather(() => gatherKnocks(natsServers, keysDir)),
    ])
  return [
    ...databaseFindings(postgres),
    ...identityFindings(identity),
    ...readings(checksOf(postgres)),
    ...(bus === null ? [] : busFindings(bus)),
    ...knockFindings(knocks, bus?.ok === true ? bus.facts.bus.regions : [], now()),
    ...webFindings(web, url, now(), bus !== null),
    ...(gateway === null || mcpUrl === null ? [] : [gatewayFinding(gateway, mcpUrl)]),
    mailFinding(mail),
    ...(hasFolder ? [...diskFindings(disk, dataDir), filesFinding(files, dataDir)] : []),
    ...(credentials.ok
      ? credentials.facts.map((one) => credentialFinding('credentials', one, now()))
      : [
          broken(
            'credentials',
            `They cannot be read: ${credentials.why}.`,
            'Look at NATS_CREDENTIALS and NATS_KEYS.',
          ),
        ]),
  ]
}

/** @throws Error where nothing says where the store is */
const storeUrl = (url: string | undefined, dataDir: string): string => {
  if (url === undefined) throw new Error(`nothing runs on ${dataDir}, and no URL is set`)
  return url
}

type OfPostgres = Awaited<ReturnType<typeof gatherPostgres>>

const databaseFindings = (postgres: Gathered<OfPostgres>): Finding[] => {
  if (!postgres.ok) return postgresFindings(postgres)
  const { facts, migrations } = postgres.facts
  const found = migrationFinding('Postgres', migrations)
  if (facts !== null) return [...postgresFindings({ ok: true, facts }), found]
  return [
    found,
    warning(
      'postgres',
      'It answers, and is not looked into before it has every migration.',
      'Start a control plane of this version first.',
    ),
  ]
}

/** How many checks run; null: nobody could say. */
const checksOf = (postgres: Gathered<OfPostgres>): number | null =>
  postgres.ok ? (postgres.facts.facts?.database.checks ?? null) : null

/** Asks the server, or all of the cluster. @returns what is found, once it is known how many checks run */
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
