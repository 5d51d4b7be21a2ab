import type { ClusterAddress } from '@probe-mesh/control-plane/stores/clickhouse/cluster-address'
import { connectClickHouseCluster } from '@probe-mesh/control-plane/stores/clickhouse/cluster'
import { clusterProblems, factsOfNode } from '@probe-mesh/control-plane/stores/clickhouse/cluster-problems'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import {
  appliedClickHouseMigrations,
  clickhouseMigrations,
  missingClickHouseTables,
} from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import {
  arrivalFacts,
  clickhouseDisks,
  clickhouseNowMs,
  clickhouseVersion,
  notAllowedFacts,
} from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import type { ClickHouseFacts, ClusterServer } from '../findings/clickhouse-findings.ts'
import { gather, gatherMsMax, skewOf } from './gather.ts'

/** Facts of a single server. */
export const gatherClickHouse = async (url: string, now: () => number): Promise<ClickHouseFacts> => {
  const clickhouse = connectClickHouse(url)
  try {
    return await askServer(clickhouse, now)
  } finally {
    await closeWithin(clickhouse)
  }
}

/** Facts of each server of a cluster, with problems of its configuration. */
export const gatherCluster = async (address: ClusterAddress, now: () => number): Promise<ClusterServer[]> => {
  const cluster = connectClickHouseCluster(address)
  try {
    return await Promise.all(
      cluster.nodes.flat().map(async (node): Promise<ClusterServer> => {
        const { host, shard } = node
        const expected = { cluster: address.name, shard, shards: address.shards.length }
        const gathered = await gather(async () => ({
          ...(await askServer(node.own, now)),
          problems: clusterProblems(await factsOfNode(node, address), expected),
        }))
        return { host, shard, gathered }
      }),
    )
  } finally {
    await closeWithin(cluster)
  }
}

const rawTable = 'readings_raw'

const askServer = async (server: Pick<ClickHouse, 'query'>, now: () => number): Promise<ClickHouseFacts> => {
  const startedAt = performance.now()
  const version = await clickhouseVersion(server)
  const tookMs = performance.now() - startedAt
  const sentAtMs = now()
  const theirMs = await clickhouseNowMs(server)
  const skewMs = skewOf(theirMs, sentAtMs, now())
  const migrations = {
    known: await clickhouseMigrations(),
    applied: await appliedClickHouseMigrations(server),
  }
  const isMigrated = migrations.known.every((name) => migrations.applied.includes(name))
  const missingTables = isMigrated ? await missingClickHouseTables(server) : []
  const hasReadings = migrations.applied.length > 0 && !missingTables.some(({ table }) => table === rawTable)
  const arrivals = hasReadings ? await arrivalFacts(server) : null
  const notAllowed = hasReadings ? await notAllowedFacts(server) : []
  const disks = await clickhouseDisks(server)
  return { version, skewMs, tookMs, disks, arrivals, migrations, missingTables, notAllowed }
}

/** Closes a connection, and waits for a hanging one a bounded time. */
const closeWithin = (clickhouse: Pick<ClickHouse, 'close'>): Promise<void> =>
  Promise.race([clickhouse.close(), new Promise<void>((end) => setTimeout(end, gatherMsMax).unref())])
