import { notTrustedFigure } from '@probe-mesh/runtime/forwarded'
import {
  chromiumFigure,
  chromiumStates,
  type ChromiumState,
} from '../../../start/processes/chromium-state.ts'
import type { MetricsFacts, WebFigures } from '../findings/metrics-facts.ts'

const metricsBytesMax = 8 * 1024 * 1024

/** A documentation address: marks the request as forwarded from another machine. */
const fromElsewhere = { 'x-forwarded-for': '192.0.2.1' }

/** Reads the metrics, and tests whether other machines can. @param ask requests `/metrics` */
export const readMetrics = async (
  ask: (headers: Record<string, string>) => Promise<{ status: number; text: string }>,
  token: string | null,
): Promise<MetricsFacts> => {
  const [forwarded, own] = await Promise.all([
    ask(fromElsewhere),
    ask(token === null ? {} : { authorization: `Bearer ${token}` }),
  ])
  const closed = token === null ? 'this machine' : 'token'
  if (own.status === 200)
    return { access: forwarded.status === 200 ? 'open' : closed, figures: figuresIn(own.text) }
  // a proxy that does not route them; the control plane itself answers 401 or 403
  const access = own.status === 404 && forwarded.status === 404 ? 'not routed' : 'refused'
  return { access: forwarded.status === 200 ? 'open' : access, figures: null }
}

/** The figures of a control plane that findings use. */
const figuresIn = (metrics: string): WebFigures => ({
  lag: sumBy(metrics, 'stream_lag_messages', 'consumer'),
  agents: sumBy(metrics, 'presence_agents', 'region'),
  chromium: chromiumIn(metrics),
  held: sumBy(metrics, 'loop_held_seconds', 'what'),
  ownFault: Object.values(sumBy(metrics, 'probe_mesh_agent_own_fault', 'what')).some((value) => value > 0),
  notTrusted: Object.keys(sumBy(metrics, notTrustedFigure, 'address')),
})

/** The Chromium state of the agents in that process; null: none or unknown. */
const chromiumIn = (metrics: string): ChromiumState | null => {
  const states = sumBy(metrics, chromiumFigure, 'state')
  return chromiumStates.find((state) => states[state] === 1) ?? null
}

/** Sums a gauge by one of its labels, in Prometheus's text. */
export const sumBy = (text: string, name: string, label: string): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const line of text.slice(0, metricsBytesMax).split('\n')) {
    // linear: braces and quotes end the parts
    const found = new RegExp(`^${name}\\{(?<labels>[^}]*)\\} (?<value>\\S+)`).exec(line)?.groups
    const of = new RegExp(`(?:^|,)${label}="(?<value>[^"]*)"`).exec(found?.['labels'] ?? '')
    const key = of?.groups?.['value']
    if (found === undefined || key === undefined) continue
    sums[key] = (sums[key] ?? 0) + Number(found['value'])
  }
  return sums
}
