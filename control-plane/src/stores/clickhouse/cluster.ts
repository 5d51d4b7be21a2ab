import { connectNode, isClickHouseUnavailable, isForAnotherReplica, type ClickHouse } from './connect.ts'
import type { ClusterAddress } from './cluster-address.ts'
import { wholeDatabase } from './schema.ts'
import type { ClickHouseNode, Shard } from './shard.ts'

/** A server of a cluster. */
export type ClusterNode = {
  /** The number of its shard, from 1. */
  readonly shard: number
  /** `host:port`, for people. */
  readonly host: string
  /** Reads and writes its own rows. */
  readonly own: ClickHouseNode
  /** Reads the tables over all shards. */
  readonly whole: ClickHouseNode
}

export type ClickHouseCluster = ClickHouse & {
  readonly name: string
  readonly database: string
  /** The servers of each shard, in order. */
  readonly nodes: readonly (readonly ClusterNode[])[]
}

/** How long a server may take to fetch the missing rows of a table before another server is used. */
const fetchSecondsMax = 20

/**
 * A complete answer or none. A subquery runs on every shard too, because the rows of a check may be on two
 * shards after one was added.
 */
const wholeSettings = {
  skip_unavailable_shards: 0,
  distributed_product_mode: 'global',
  // a shard lost during the query is then an error, and not a partial answer
  wait_end_of_query: 1,
} as const

/**
 * Several servers as one. A query runs on any of them over the rows of all; rows are written to the shard
 * that owns them. Connections are opened when needed.
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
      // no query is answered without all shards
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

const pingAny = async (replicas: readonly ClusterNode[], params: Parameters<Ping>[0]): ReturnType<Ping> => {
  let answer: Awaited<ReturnType<Ping>> = { success: false, error: new Error('no replica') }
  for (const { own } of replicas) {
    answer = await own.ping(params)
    if (answer.success) break
  }
  return answer
}

/**
 * Runs an action on one of several equivalent servers: first on the one that succeeded last, then on the
 * others, each once.
 * @throws the error of an unavailable server if all fail; at once any error that another server cannot avoid
 */
export const createReplicas = <R>(
  replicas: readonly R[],
): (<T>(act: (replica: R) => Promise<T>) => Promise<T>) => {
  let preferred = 0
  const leave = (at: number): void => {
    if (preferred === at) preferred = (at + 1) % replicas.length
  }
  return async (act) => {
    const first = preferred
    let failure: unknown = new Error('there is no replica')
    for (let tried = 0; tried < replicas.length; tried += 1) {
      const at = (first + tried) % replicas.length
      const replica = replicas[at]
      if (replica === undefined) break
      try {
        return await act(replica)
      } catch (error) {
        // after an abandoned wait the next server is used first the next time
        if (isForAnotherReplica(error) || isAborted(error)) leave(at)
        if (!isForAnotherReplica(error)) throw error
        if (tried === 0 || isClickHouseUnavailable(error)) failure = error
      }
    }
    throw failure
  }
}

const isAborted = (error: unknown): boolean =>
  error instanceof Error && /abort/i.test(`${error.name} ${error.message}`)
