import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckState } from '../status/state.ts'
import { CheckConfig } from '@probe-mesh/contracts/check/check-config'

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

/**
 * What a check of each type holds. `unknown` stands for what a newer version wrote: such a check is
 * listed and can be deleted, and is neither assigned, run nor changed by this one.
 */
export type StoredConfig = CheckConfig | { type: 'unknown' }

/**
 * A stored config as this version understands it. Pure: one row that it does not understand never
 * costs its neighbours.
 * @param type of the check's row, which its config must be of
 */
export const toStoredConfig = (config: unknown, type: string): StoredConfig => {
  const parsed = CheckConfig.safeParse(config)
  return parsed.success && parsed.data.type === type ? parsed.data : { type: 'unknown' }
}
