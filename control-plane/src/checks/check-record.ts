import type { Assertions } from '@probe-mesh/contracts/assertions'
import type { CheckConfig } from '@probe-mesh/contracts/check-config'
import type { CheckType } from '@probe-mesh/contracts/check'
import type { Region } from '@probe-mesh/contracts/regions'
import type { CheckState } from '../status/state.ts'

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
  config: CheckConfig
  revision: number
  validFromMs: number
  createdAtMs: number
  updatedAtMs: number
}

/** A check with what the assessor last recorded of it. */
export type CheckWithState = CheckRecord & { state: CheckState }
