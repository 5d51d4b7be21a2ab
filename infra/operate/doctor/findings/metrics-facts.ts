import type { ChromiumState } from '../../../start/processes/chromium-state.ts'

/** Figures from the metrics of a control plane. */
export type WebFigures = {
  /** Unacknowledged messages by consumer, for an in-process bus. */
  lag: Readonly<Record<string, number>>
  /** Online agents by region. */
  agents: Readonly<Record<string, number>>
  /** The Chromium of its own agents; null: none or unknown. */
  chromium: ChromiumState | null
  /** The latest holds of its event loop, s, by the check, route or message that held it. */
  held: Readonly<Record<string, number>>
  /** Whether its own agents resolve no name or reach no canary. */
  ownFault: boolean
  /** The address of a proxy that TRUST_PROXY lacks, if one forwarded requests lately. */
  notTrusted: readonly string[]
}

/**
 * Who can read `/metrics`: everybody, clients with the token, this machine only, nobody through the proxy, or
 * not even this command.
 */
export type MetricsAccess = 'open' | 'token' | 'this machine' | 'not routed' | 'refused'

/** `figures` are null if this command may not read them. */
export type MetricsFacts = { access: MetricsAccess; figures: WebFigures | null }
