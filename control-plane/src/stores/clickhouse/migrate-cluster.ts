import { messageOf } from '@probe-mesh/runtime/errors'
import { ClickHouseError } from '@clickhouse/client'
import { clusterProblems, factsOfNode } from './cluster-problems.ts'
import type { ClickHouseCluster, ClusterNode } from './cluster.ts'
import { isClickHouseUnavailable, isForAnotherReplica } from './connect.ts'
import { migrateClickHouse } from './migrate.ts'
import { clusterStatement, tableOf, wholeDatabase, wholeTableStatement } from './schema.ts'

/**
 * Migrates every server of a cluster to the newest migration: shards in parallel, the replicas of a shard one
 * after another. Any number of control planes may do so at once.
 * @returns the unavailable servers, to migrate when they return
 * @throws Error if a server differs from the environment, or no replica of a shard answers
 */
export const migrateCluster = async (cluster: ClickHouseCluster): Promise<ClusterNode[]> => {
  const outcomes = await Promise.allSettled(cluster.nodes.map((replicas) => migrateShard(cluster, replicas)))
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, failures.map(messageOf).join('; '))
  return outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

const migrateShard = async (
  cluster: ClickHouseCluster,
  replicas: readonly ClusterNode[],
): Promise<ClusterNode[]> => {
  const unavailable: ClusterNode[] = []
  let reason: unknown = null
  for (const node of replicas) {
    try {
      await migrateNode(
        cluster,
        node,
        replicas.filter((replica) => replica !== node),
      )
    } catch (error) {
      if (!isUnavailable(error)) throw error
      reason = error
      unavailable.push(node)
    }
  }
  if (unavailable.length === replicas.length) {
    const shard = replicas[0]?.shard ?? 0
    throw new Error(`all replicas of ClickHouse shard ${shard} are unavailable`, { cause: reason })
  }
  return unavailable
}

/**
 * Columns that differ from those in Keeper: a sibling that is unavailable or migrating has altered the table.
 */
const otherColumns = '122'

const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { cause } = error
  const isBehind = cause instanceof ClickHouseError && cause.code === otherColumns
  return isBehind || isClickHouseUnavailable(error) || isClickHouseUnavailable(cause)
}

/**
 * Migrates one server.
 * @param siblings the other replicas of its shard. A table that one of them has is created with its current
 * definition, which may have been altered; otherwise Keeper refuses the new replica.
 */
const migrateNode = async (
  cluster: ClickHouseCluster,
  node: ClusterNode,
  siblings: readonly ClusterNode[],
): Promise<void> => {
  const expected = { cluster: cluster.name, shard: node.shard, shards: cluster.nodes.length }
  const problems = clusterProblems(await factsOfNode(node, cluster), expected)
  if (problems.length > 0) throw new Error(`ClickHouse at ${node.host}: ${problems.join('; ')}`)
  const place = { cluster: cluster.name, database: cluster.database }
  await node.own.command({
    query: `create database if not exists ${wholeDatabase(cluster.database)} engine = Atomic`,
  })
  await migrateClickHouse(node.own, {
    way: {
      write: async (statement) => {
        const table = tableOf(statement)
        const made = table === null ? null : await definitionAmong(siblings, table)
        return made ?? clusterStatement(statement, place)
      },
      afterFile: async () => {
        for (const table of await replicatedTables(node)) {
          await node.own.command({ query: wholeTableStatement(table, place) })
        }
      },
    },
  })
}

/** The definition of the first node that has the table. Unavailable nodes are skipped. */
const definitionAmong = async (nodes: readonly ClusterNode[], table: string): Promise<string | null> => {
  for (const node of nodes) {
    try {
      const definition = await definitionOf(node, table)
      if (definition !== null) return definition
    } catch (error) {
      if (!isForAnotherReplica(error)) throw error
    }
  }
  return null
}

/** The statement that creates a table as a server has it; null if it has none. */
const definitionOf = async ({ own }: ClusterNode, table: string): Promise<string | null> => {
  const result = await own.query({
    query: `
      select create_table_query as text from system.tables
      where database = currentDatabase() and name = {table:String}`,
    query_params: { table },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ text: string }>()
  return row?.text.replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS ') ?? null
}

/**
 * The tables with a server's own rows.
 * @throws Error if one is not replicated: it was created while the server was a single server
 */
const replicatedTables = async ({ own, host }: ClusterNode): Promise<string[]> => {
  const result = await own.query({
    query: `
      select name, startsWith(engine, 'Replicated') as replicated from system.tables
      where database = currentDatabase() and endsWith(engine, 'MergeTree') and name not in ('migrations', 'system_id')
      order by name`,
    format: 'JSONEachRow',
  })
  const tables = await result.json<{ name: string; replicated: number }>()
  const alone = tables.filter(({ replicated }) => replicated === 0).map(({ name }) => name)
  if (alone.length > 0) {
    throw new Error(`ClickHouse at ${host} has tables that are not replicated: ${alone.join(', ')}`)
  }
  return tables.map(({ name }) => name)
}
