import type { ClickHouse } from './connect.ts'

/** The same store, whose queries end after a time: the server stops what nobody waits for any more. */
export const boundedQueries = (clickhouse: ClickHouse, msMax: number): ClickHouse => {
  const query: ClickHouse['query'] = (asked) =>
    clickhouse.query({
      ...asked,
      clickhouse_settings: {
        max_execution_time: Math.ceil(msMax / 1_000),
        ...asked.clickhouse_settings,
      },
    })
  return {
    query,
    command: (asked) => clickhouse.command(asked),
    insert: (rows) => clickhouse.insert(rows),
    exec: (asked) => clickhouse.exec(asked),
    ping: (asked) => clickhouse.ping(asked),
    close: () => clickhouse.close(),
    shards: clickhouse.shards,
    isReplicated: clickhouse.isReplicated,
  }
}
