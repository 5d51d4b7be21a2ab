import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Registry } from 'prom-client'
import {
  createFlooredPlaces,
  shareStore,
  type FlooredPlaces,
  type Turns,
} from '@probe-mesh/runtime/account-turns'
import type { ClickHouse } from './clickhouse/connect.ts'
import type { Sql } from './postgres/connect.ts'

/** The resources of one process that accounts share with their requests. */
export type RequestShares = {
  /** ClickHouse for accounts: in turns, and with a time limit for each query. */
  clickhouse: ClickHouse
  /** Queries about all accounts, on behalf of one. */
  targetTurns: Turns
  /** Replays of stored readings. */
  replays: Turns
  eventStreams: FlooredPlaces
  relayStreams: FlooredPlaces
}

/** Makes accounts take turns at the databases, and adds the pools to the metrics. */
export const createRequestShares = (capabilities: {
  /** For look-ups before the account is known. */
  sql: Sql
  accountSql: Sql
  clickhouse: ClickHouse
  registry: Registry
}): RequestShares => {
  const { sql, accountSql, registry } = capabilities
  const metrics = createPoolMetrics(registry)
  const turnsOf = (
    name: 'postgresConnections' | 'lookUps' | 'targetQuestions' | 'clickhouseQueries' | 'replays',
  ): Turns => {
    const { bounds, waitMsMax } = requestPools[name]
    const pool = createFairPool(bounds)
    metrics.watch(name, pool)
    return { pool, waitMsMax }
  }
  const placesOf = (
    name: 'eventStreams' | 'relayStreams',
    floorName: 'eventStreamFloors' | 'relayStreamFloors',
  ): FlooredPlaces => {
    const [bounds, floorBounds] = [requestPools[name].bounds, requestPools[floorName].bounds]
    const [pool, floors] = [createFairPool(bounds), createFairPool(floorBounds)]
    metrics.watch(name, pool)
    metrics.watch(floorName, floors)
    return createFlooredPlaces(
      { pool, share: bounds.placesOfOwner },
      { pool: floors, floor: floorBounds.placesOfOwner },
    )
  }
  shareStore(accountSql, turnsOf('postgresConnections'))
  shareStore(sql, turnsOf('lookUps'))
  const clickhouse = boundedQueries(capabilities.clickhouse, requestPools.clickhouseQueries.workMsMax)
  shareStore(clickhouse, turnsOf('clickhouseQueries'))
  return {
    clickhouse,
    targetTurns: turnsOf('targetQuestions'),
    replays: turnsOf('replays'),
    eventStreams: placesOf('eventStreams', 'eventStreamFloors'),
    relayStreams: placesOf('relayStreams', 'relayStreamFloors'),
  }
}

/** The same ClickHouse with a time limit for queries, so that the server ends abandoned ones. */
export const boundedQueries = (clickhouse: ClickHouse, msMax: number): ClickHouse => {
  const query: ClickHouse['query'] = (params) =>
    clickhouse.query({
      ...params,
      clickhouse_settings: {
        max_execution_time: Math.ceil(msMax / 1_000),
        ...params.clickhouse_settings,
      },
    })
  return {
    query,
    command: (params) => clickhouse.command(params),
    insert: (rows) => clickhouse.insert(rows),
    exec: (params) => clickhouse.exec(params),
    ping: (params) => clickhouse.ping(params),
    close: () => clickhouse.close(),
    shards: clickhouse.shards,
    isReplicated: clickhouse.isReplicated,
  }
}
