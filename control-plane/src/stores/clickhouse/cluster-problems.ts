import type { ClickHouseCluster, ClusterNode } from './cluster.ts'

/** What a server of a cluster says of its place. */
export type NodeFacts = {
  /** From its configuration: null where it has none. */
  shard: string | null
  replica: string | null
  /** How many shards its configuration lists under the cluster's name. */
  shardsListed: number
}

/**
 * What is wrong with a server's configuration, all of it: a row would go to the wrong shard, a replica would be taken
 * for another one, or a shard be left out of every answer without a word.
 */
export const clusterProblems = (
  facts: NodeFacts,
  expected: { cluster: string; shard: number; shards: number },
): string[] => {
  const { shard, replica, shardsListed } = facts
  const problems: string[] = []
  if (shard === null || Number(shard) !== expected.shard) {
    const is = shard === null ? 'not set' : shard
    problems.push(
      `its macro shard is ${is}, and CLICKHOUSE_URL names it in shard ${expected.shard}`,
    )
  }
  if (replica === null) problems.push('its macro replica is not set')
  if (shardsListed !== expected.shards) {
    problems.push(
      `its remote_servers list ${shardsListed} shards of ${expected.cluster}, and CLICKHOUSE_URL ${expected.shards}`,
    )
  }
  return problems
}

/** Asks a server for its place. */
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
