import type { ClickHouse } from './connect.ts'
import { connectNode } from './connect.ts'
import type { ClusterAddress } from './cluster-address.ts'
import { createReplicas } from './replicas.ts'
import { wholeDatabase } from './schema.ts'
import type { ClickHouseNode, Shard } from './shard.ts'

/** A server of a cluster. */
export type ClusterNode = {
  /** Its shard's place, from 1. */
  readonly shard: number
  /** `host:port`, for people. */
  readonly host: string
  /** At its own rows. */
  readonly own: ClickHouseNode
  /** At the tables over all shards. */
  readonly whole: ClickHouseNode
}

export type ClickHouseCluster = ClickHouse & {
  readonly name: string
  readonly database: string
  /** Of each shard, in order. */
  readonly nodes: readonly (readonly ClusterNode[])[]
}

/** How long a server may take to fetch what it lacks of a table, before another is asked. */
const fetchSecondsMax = 20

/**
 * A whole answer or none; and what a statement asks within itself is asked of every shard, since rows of a check
 * may lie on two of them after one was added.
 */
const wholeSettings = {
  skip_unavailable_shards: 0,
  distributed_product_mode: 'global',
  // a shard that is lost in the middle is an error then, and no answer that was begun
  wait_end_of_query: 1,
} as const

/**
 * Several servers as one: what is asked is asked of any of them over the rows of all, and rows are written to the
 * shard that owns them. None is connected to before it is needed.
 */
export const connectClickHouseCluster = ({ name, shards }: ClusterAddress): ClickHouseCluster => {
  const nodes = shards.map((urls, at) => urls.map((url) => nodeOf(url, at + 1)))
  const all = nodes.flat()
  const use = createReplicas(all.map((node) => node.whole))
  return {
    name,
    database: databaseOf(shards[0]?.[0] ?? ''),
    nodes,
    isReplicated: true,
    shards: nodes.map((replicas) => shardOf(replicas.map((node) => node.own))),
    query: (params) => use((node) => node.query(params)),
    command: (params) => use((node) => node.command(params)),
    insert: (params) => use((node) => node.insert(params)),
    exec: (params) => use((node) => node.exec(params)),
    ping: async (params) => {
      // without all of its shards it answers nothing
      for (const replicas of nodes) {
        const answer = await pingAny(replicas, params)
        if (!answer.success) return answer
      }
      return { success: true }
    },
    close: async () => {
      await Promise.all(all.flatMap(({ own, whole }) => [own.close(), whole.close()]))
    },
  }
}

const nodeOf = (url: string, shard: number): ClusterNode => {
  const whole = new URL(url)
  whole.pathname = wholeDatabase(databaseOf(url))
  return {
    shard,
    host: whole.host,
    own: connectNode(url),
    whole: connectNode(whole.href, wholeSettings),
  }
}

const databaseOf = (url: string): string => new URL(url).pathname.slice(1)

const shardOf = (replicas: readonly ClickHouseNode[]): Shard => {
  const use = createReplicas(replicas)
  return {
    use,
    useCurrent: (table, act) =>
      use(async (replica) => {
        await replica.command({
          query: `system sync replica ${table} lightweight`,
          clickhouse_settings: { receive_timeout: fetchSecondsMax },
        })
        return act(replica)
      }),
  }
}

type Ping = ClickHouse['ping']

const pingAny = async (
  replicas: readonly ClusterNode[],
  params: Parameters<Ping>[0],
): ReturnType<Ping> => {
  let answer: Awaited<ReturnType<Ping>> = { success: false, error: new Error('no replica') }
  for (const { own } of replicas) {
    answer = await own.ping(params)
    if (answer.success) break
  }
  return answer
}
