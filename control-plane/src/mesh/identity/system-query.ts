import type { ClickHouseAddress } from '../../stores/clickhouse/open.ts'
import { connectClickHouseCluster } from '../../stores/clickhouse/cluster.ts'
import { connectClickHouse, isClickHouseAway } from '../../stores/clickhouse/connect.ts'
import type { ClickHouseNode } from '../../stores/clickhouse/shard.ts'

/** What ClickHouse says of the system that it is of. */
export type ClickHouseIdentity = {
  /** Of all servers that answer; none where no control plane has marked them. */
  ids: readonly string[]
  /** Whether it holds no reading and no error. */
  isEmpty: boolean
}

/** Of a server's own, on each of a cluster too: one that is replaced is known by its siblings. */
const table = 'system_id'
const holding = ['readings_raw', 'error_occurrences']

/** Asks the server, or every server of the cluster that answers; at least one does. */
export const readClickHouseIdentity = async (
  address: ClickHouseAddress,
): Promise<ClickHouseIdentity> => {
  const servers = await onEachServer(address, async (server) => {
    const tables = await tablesOf(server)
    const isFilled = async (): Promise<boolean> => {
      for (const name of holding) {
        if (!tables.has(name)) continue
        const rows = await server.query({
          query: `select 1 as one from ${name} limit 1`,
          format: 'JSONEachRow',
        })
        if ((await rows.json()).length > 0) return true
      }
      return false
    }
    return { ids: tables.has(table) ? await idsOf(server) : [], isFilled: await isFilled() }
  })
  return {
    ids: [...new Set(servers.flatMap(({ ids }) => ids))].toSorted(),
    isEmpty: servers.every(({ isFilled }) => !isFilled),
  }
}

/** Writes the id into each server that answers and has none. @param replace one that is there, too */
export const markClickHouse = async (
  address: ClickHouseAddress,
  id: string,
  { replace }: { replace: boolean } = { replace: false },
): Promise<void> => {
  await onEachServer(address, async (server) => {
    await server.command({
      query: `create table if not exists ${table} (id UUID, at DateTime default now()) engine = MergeTree order by id`,
    })
    if (replace) await server.command({ query: `truncate table ${table}` })
    else if ((await idsOf(server)).length > 0) return
    await server.insert({ table, values: [{ id }], format: 'JSONEachRow' })
  })
}

const onEachServer = async <T>(
  { url, cluster }: ClickHouseAddress,
  act: (server: ClickHouseNode) => Promise<T>,
): Promise<T[]> => {
  const connected = cluster === null ? connectClickHouse(url) : connectClickHouseCluster(cluster)
  const servers = 'nodes' in connected ? connected.nodes.flat().map(({ own }) => own) : [connected]
  try {
    const outcomes = await Promise.allSettled(servers.map(act))
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const wrong = failures.find((failure) => !isClickHouseAway(failure))
    if (wrong !== undefined) throw wrong
    if (answers.length === 0) throw failures[0]
    return answers
  } finally {
    await connected.close()
  }
}

const tablesOf = async (server: ClickHouseNode): Promise<Set<string>> => {
  const rows = await server.query({
    query: `select name from system.tables where database = currentDatabase()`,
    format: 'JSONEachRow',
  })
  return new Set((await rows.json<{ name: string }>()).map(({ name }) => name))
}

const idsOf = async (server: ClickHouseNode): Promise<string[]> => {
  const rows = await server.query({
    query: `select distinct toString(id) as id from ${table}`,
    format: 'JSONEachRow',
  })
  return (await rows.json<{ id: string }>()).map(({ id }) => id)
}
