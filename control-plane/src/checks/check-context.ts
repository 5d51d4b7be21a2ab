import type { HeartbeatWatch } from '../heartbeats/outage.ts'
import type { AccountContext } from '../operations/context.ts'
import type { TargetCounts } from '../targets/target-counts.ts'
import type { ManualRuns } from './manual-runs.ts'

/** The capabilities of the operations of checks. */
export type CheckContext = AccountContext & {
  readonly runs: ManualRuns
  readonly targets: TargetCounts
  /** When the control plane received pings. It belongs to no account. */
  readonly heartbeatWatch: () => Promise<HeartbeatWatch>
}
