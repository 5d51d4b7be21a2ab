import type { Sql } from '../postgres/connect.ts'
import { findHeartbeatWatch } from '../postgres/heartbeat-watch.ts'
import type { AccountContext } from './context.ts'

/** When pings were taken: told to the verbs of every account. @param sql that sees what loops see */
export const heartbeatWatchOf =
  (sql: Sql): AccountContext['heartbeatWatch'] =>
  () =>
    findHeartbeatWatch(sql)
