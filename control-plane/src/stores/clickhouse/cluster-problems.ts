import type { ClickHouseCluster, ClusterNode } from './cluster.ts'

/** The position of a server in its cluster, as it reports it. */
type NodeFacts = {
  /** From its configuration; null if missing. */
  shard: string | null
  replica: string | null
  /** The number of shards that its configuration lists for the cluster. */
  shardsListed: number
}

/**
 * All problems of a server's configuration. Each would send a row to the wrong shard, confuse two replicas,
 * or leave a shard out of every answer without an error.
 */
export const clusterProblems = (
  facts: NodeFacts,
  expected: { cluster: string; shard: number; shards: number },
): string[] => {
  const { shard, replica, shardsListed } = facts
  const problems: string[] = []
  if (shard === null || Number(shard) !== expected.shard) {
    const is = shard === null ? 'not set' : shard
    problems.push(`its macro shard is ${is}, but CLICKHOUSE_URL has it in shard ${expected.shard}`)
  }
  if (replica === null) problems.push('its macro replica is not set')
  if (shardsListed !== expected.shards) {
    problems.push(
      `its remote_servers list ${shardsListed} shards of ${expected.cluster}, but CLICKHOUSE_URL has ${expected.shards}`,
    )
  }
  return problems
}

/** Reads the position of a server. */
export const factsOfNode = async (
  node: ClusterNode,
  { name }: Pick<ClickHouseCluster, 'name'>,
): Promise<NodeFacts> => {
  const result = await node.own.query({
    query: `
      select
        (select groupArray((macro, substitution)) from system.macros) as macros,
        (select uniqExact(shard_num) from system.clusters where cluster = {cluster:String}) as shards`,
    query_params: { cluster: name },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ macros: [string, string][]; shards: number }>()
  const macros = new Map(row?.macros)
  return {
    shard: macros.get('shard') ?? null,
    replica: macros.get('replica') ?? null,
    shardsListed: Number(row?.shards ?? 0),
  }
}
