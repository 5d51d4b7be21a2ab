import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { ComponentState, StatusPageState } from '@probe-mesh/contracts/status-page/status-page'

/**
 * A component's state: its check's status, or `maintenance` while a window covers it. "No data is
 * never healthy": what is stale or unknown is `no_data`. Pure.
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

/** What a page says of itself is the first of these that any of its components is in. */
export const worstFirst = [
  'down',
  'degraded',
  'maintenance',
  'no_data',
  'operational',
] as const satisfies readonly ComponentState[]

/**
 * A page's state: the worst of its components, `no_data` where it has none, and `maintenance` while a
 * window covers the whole of it (S-1708). Pure.
 */
export const pageState = (
  components: readonly ComponentState[],
  isCovered: boolean,
): StatusPageState => {
  if (isCovered) return 'maintenance'
  return worstFirst.find((state) => components.includes(state)) ?? 'no_data'
}
