import type { Sql } from '../stores/postgres/connect.ts'
import { findHeartbeatWatch } from './heartbeat-watch-store.ts'
import type { AccountContext } from '../operations/context.ts'

/** When pings were taken: told to the verbs of every account. @param sql that sees what loops see */
export const heartbeatWatchOf =
  (sql: Sql): AccountContext['heartbeatWatch'] =>
  () =>
    findHeartbeatWatch(sql)
