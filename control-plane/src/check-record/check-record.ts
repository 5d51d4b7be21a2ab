import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckState } from '../status/state.ts'
import type { StoredConfig } from './stored-config.ts'

/** A check as the control plane knows it. Times are Unix milliseconds. */
export type CheckRecord = {
  id: string
  accountId: string
  type: CheckType
  name: string
  url: string | null
  target: string | null
  intervalSeconds: number
  regions: readonly Region[]
  allRegions: boolean
  paused: boolean
  private: boolean
  assertions: Assertions
  config: StoredConfig
  revision: number
  validFromMs: number
  /** Whether the slots of this revision's regions are spread evenly over the interval; absent is no. */
  isSpread?: boolean
  createdAtMs: number
  updatedAtMs: number
}

/** A check with what the assessor last recorded of it. */
export type CheckWithState = CheckRecord & { state: CheckState }
