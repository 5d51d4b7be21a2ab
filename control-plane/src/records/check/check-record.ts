import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { attemptMsMaxOf } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { CheckState } from '../../status/state.ts'
import { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import type { Step } from '@probe-mesh/contracts/check/step'

/** A stored check. Times are Unix milliseconds. */
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
  /** When its pause ends by itself; null or absent: by hand, or it is not paused. */
  pausedUntilMs?: number | null
  tags: readonly string[]
  private: boolean
  assertions: Assertions
  config: StoredConfig
  /** What decides its status; absent or null: the default. No part of a revision. */
  statusRule?: StatusRule | null | undefined
  revision: number
  validFromMs: number
  /** Whether the slots of this revision's regions are spread evenly over the interval; absent means no. */
  isSpread?: boolean
  createdAtMs: number
  updatedAtMs: number
}

/** A check with its recorded state. */
export type CheckWithState = CheckRecord & { state: CheckState }

/**
 * The config of a check of each type. `unknown` stands for a config from a newer version: such a check is
 * listed and can be deleted, but this version does not assign, run or change it.
 */
export type StoredConfig = CheckConfig | { type: 'unknown' }

/** The timeout of one attempt of a check, ms; null where nothing is probed, or this version does not know how. */
export const attemptMsOf = ({
  intervalSeconds,
  config,
}: Pick<CheckRecord, 'intervalSeconds' | 'config'>): number | null => {
  if (config.type === 'unknown' || config.type === 'heartbeat') return null
  const { timeoutSeconds } = { timeoutSeconds: undefined, ...config }
  return attemptMsMaxOf({ type: config.type, intervalSeconds, timeoutSeconds })
}

/**
 * Parses a stored config. An unknown one does not affect other rows.
 * @param type the type of the check, which its config must have
 */
export const toStoredConfig = (config: unknown, type: string): StoredConfig => {
  const parsed = CheckConfig.safeParse(withType(config, `${type}_request`, type))
  return parsed.success && parsed.data.type === type ? parsed.data : { type: 'unknown' }
}

/**
 * The JSON of a config. One with a request has a type that older versions do not know, so they leave the check alone. A
 * heartbeat without a newer setting has no member for it, so that older versions take its pings.
 */
export const fromStoredConfig = (config: StoredConfig): object & { type: string } => {
  if (hasRequest(config)) return { ...config, type: `${config.type}_request` }
  if (config.type !== 'heartbeat') return config
  const { onCalendar, slug, ...older } = config.settings
  const settings = { ...older, ...(onCalendar !== null && { onCalendar }), ...(slug !== null && { slug }) }
  const stored = { ...config, settings }
  return stored
}

/** Whether a check, or a step of it, sends or expects more than every version knows. */
export const hasRequest = (config: StoredConfig): boolean =>
  (config.type === 'http' && config.request !== undefined) ||
  (config.type === 'multistep' && hasStepOptions(config.steps))

/** Whether a step of a journey sends or expects more than its method and body. */
export const hasStepOptions = (steps: readonly Step[]): boolean =>
  steps.some(({ options }) => options !== undefined)

const withType = (config: unknown, from: string, to: string): unknown =>
  typeof config === 'object' && config !== null && 'type' in config && config.type === from
    ? { ...config, type: to }
    : config
