import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectNode } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { wholeDatabase, wholeTableStatement } from '@probe-mesh/control-plane/src/stores/clickhouse/schema'
import { startClickHouse } from '../start/embedded/clickhouse/start.ts'
import { silentLog } from '../start/embedded/log.ts'
import { withDatabase } from './database-name.ts'

const tables = ['readings_raw', 'readings_minute', 'readings_hour', 'error_occurrences']
/** No server listens there. */
const deadPort = 1
/** The port of the engine, which does not listen. It lets the server recognise itself among the replicas. */
const ownPort = 19_000

export type TestCluster = {
  /** Two single servers, which may be the shards of a cluster. */
  readonly servers: readonly [string, string]
  /** A single server, and a cluster of two shards that together hold the same rows. */
  readonly single: string
  readonly whole: string
  /** The same cluster with an unreachable second shard. */
  readonly torn: string
  close(): Promise<void>
}

/**
 * Starts a ClickHouse whose configuration lists clusters of two shards. Both are the server itself, each with
 * a random part of the rows, so that rows of one check are on both. Queries of all shards are planned, split
 * and merged as between servers. Nothing is replicated, and only the unreachable shard is contacted over a
 * network.
 */
export const startTestCluster = async (): Promise<TestCluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'probe-mesh-cluster-'))
  await writeFile(join(folder, 'config.xml'), configuration)
  const server = await startClickHouse({ dataDir: join(folder, 'data'), log: silentLog, folder })
  const at = (database: string): string => withDatabase(server.url, database)
  const command = async (query: string): Promise<void> => {
    const client = connectNode(server.url)
    await client.command({ query }).finally(() => client.close())
  }
  for (const database of ['one', 'two', 'single']) {
    await command(`create database ${database} engine = Atomic`)
    const own = connectNode(at(database))
    await migrateClickHouse(own).finally(() => own.close())
  }
  for (const cluster of ['whole', 'torn']) {
    await command(`create database ${wholeDatabase(cluster)} engine = Atomic`)
    for (const table of tables) {
      const statement = wholeTableStatement(table, { cluster, database: 'single' })
      await command(statement.replace(wholeDatabase('single'), wholeDatabase(cluster)))
    }
  }
  return {
    servers: [at('one'), at('two')],
    single: at('single'),
    whole: `${at('whole')}?${sharesOfRows}`,
    torn: `${at('torn')}?${sharesOfRows}`,
    close: async () => {
      await server.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

const sharesOfRows = new URLSearchParams({
  clickhouse_setting_additional_table_filters: `{${tables
    .map((table) => {
      const keys = table === 'error_occurrences' ? 'event_id' : 'check_id, region, '
      const time = table === 'error_occurrences' ? '' : table === 'readings_raw' ? 'slot' : 'at'
      return `'single.${table}': 'cityHash64(${keys}${time}) % 2 + 1 = shardNum()'`
    })
    .join(', ')}}`,
}).toString()

const shard = (port: number): string =>
  `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`

const configuration = `<clickhouse>
  <tcp_port>${ownPort}</tcp_port>
  <remote_servers>
    <whole>${shard(ownPort)}${shard(ownPort)}</whole>
    <torn>${shard(ownPort)}${shard(deadPort)}</torn>
  </remote_servers>
</clickhouse>
`
