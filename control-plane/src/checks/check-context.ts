import type { HeartbeatWatch } from '../heartbeats/outage.ts'
import type { ExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import type { AccountContext } from '../accounts/operations/context.ts'
import type { TargetCounts } from '../targets/target-counts.ts'
import type { Latency } from './latencies.ts'
import type { ManualRuns } from './manual-runs.ts'

/** The capabilities of operations on checks. */
export type CheckContext = AccountContext & {
  readonly runs: ManualRuns
  readonly targets: TargetCounts
  /** When pings could be received, for all accounts. */
  readonly heartbeatWatch: () => Promise<HeartbeatWatch>
  /** The latencies of the checks of a page, by a hash of their ids. */
  readonly latencies: ExpiringCache<ReadonlyMap<string, Latency>>
}
