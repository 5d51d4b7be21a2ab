import type { Sql } from '../stores/postgres/connect.ts'
import type { HeartbeatWatch } from './outage.ts'
import { findHeartbeatWatch } from './heartbeat-watch-store.ts'

/** When pings were received, for the operations of every account. @param sql that sees what loops see */
export const heartbeatWatchOf = (sql: Sql) => (): Promise<HeartbeatWatch> => findHeartbeatWatch(sql)
