import type { ExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import type { CheckContext } from '../checks/check-context.ts'
import type { AccountLatency } from './account-latency.ts'
import type { AccountUptime } from './account-uptime.ts'

/** The figures of whole accounts that cost too much to read for every request, by account id. */
export type AccountFigures = {
  readonly accountUptimes: ExpiringCache<AccountUptime>
  readonly accountLatencies: ExpiringCache<AccountLatency>
}

export type OverviewContext = Pick<
  CheckContext,
  'sql' | 'clickhouse' | 'heartbeatWatch' | 'rules' | 'now' | 'log'
> &
  AccountFigures
