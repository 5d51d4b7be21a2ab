import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'

/**
 * A component's state: the status of its check, or `maintenance` while a window covers it. `stale` and
 * `unknown` become `no_data`, because missing data is never healthy (S-102).
 */
export const componentState = (status: CheckStatus, isCovered: boolean): ComponentState => {
  if (isCovered) return 'maintenance'
  switch (status) {
    case 'operational':
    case 'degraded':
    case 'down':
      return status
    case 'stale':
    case 'unknown':
      return 'no_data'
    default:
      return status satisfies never
  }
}

/** The precedence of states: a page has the first one that any of its components has. */
export const worstFirst = [
  'down',
  'degraded',
  'maintenance',
  'no_data',
  'operational',
] as const satisfies readonly ComponentState[]
