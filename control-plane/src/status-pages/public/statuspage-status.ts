import type { ComponentState, StatusPageState } from '@probe-mesh/contracts/status-page/status-page'

/** The words of Statuspage's public API, version 2. */
export type StatuspageComponentStatus =
  | 'operational'
  | 'degraded_performance'
  | 'partial_outage'
  | 'major_outage'
  | 'under_maintenance'

export type StatuspageIndicator = 'none' | 'minor' | 'major' | 'critical' | 'maintenance'

/**
 * Statuspage has no word for "not measured". Of its words that are not healthy the mildest stands for
 * it, and `x_state` says what is meant: silence must never read as operational.
 */
export const componentStatuses = {
  operational: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
  maintenance: 'under_maintenance',
  no_data: 'degraded_performance',
} as const satisfies Record<ComponentState, StatuspageComponentStatus>

type PageStatus = { indicator: StatuspageIndicator; description: string; x_state: StatusPageState }

/** A page's rollup. It is a major outage of the system only where every component is down. */
export const pageStatus = (
  state: StatusPageState,
  components: readonly { state: ComponentState }[],
): PageStatus => ({ ...rollup(state, components), x_state: state })

const rollup = (
  state: StatusPageState,
  components: readonly { state: ComponentState }[],
): Omit<PageStatus, 'x_state'> => {
  switch (state) {
    case 'operational':
      return { indicator: 'none', description: 'All Systems Operational' }
    case 'degraded':
      return { indicator: 'minor', description: 'Degraded Performance' }
    case 'down':
      return components.every((component) => component.state === 'down')
        ? { indicator: 'critical', description: 'Major System Outage' }
        : { indicator: 'major', description: 'Partial System Outage' }
    case 'maintenance':
      return { indicator: 'maintenance', description: 'Service Under Maintenance' }
    case 'no_data':
      return { indicator: 'minor', description: 'No Data' }
    default:
      return state satisfies never
  }
}
