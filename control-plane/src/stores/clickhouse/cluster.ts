import type { ClickHouse } from './connect.ts'
import { connectNode, isClickHouseAway, isForAnotherReplica } from './connect.ts'
import type { ClusterAddress } from './cluster-address.ts'
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

/**
 * Acts on one of some servers that can do the same: on the one that did last, else on the next, each once.
 * @throws what the last one said when none can; anything at once that another could not heal
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
        // who gave up waiting says nothing of the next one, but asks it first
        if (isForAnotherReplica(error) || isGivenUp(error)) leave(at)
        if (!isForAnotherReplica(error)) throw error
        if (tried === 0 || isClickHouseAway(error)) failure = error
      }
    }
    throw failure
  }
}

const isGivenUp = (error: unknown): boolean =>
  error instanceof Error && /abort/i.test(`${error.name} ${error.message}`)
