import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { ControlPlane } from '../upstream/control-plane.ts'

export type GatewayMetrics = {
  /** A call of a tool: `answered`, or the code of its refusal. */
  called(tool: string, outcome: string): void
  /** A request, from its first byte to the response. */
  answered(endpoint: string, status: number, seconds: number): void
}

/** Metrics by endpoint and tool, never by caller. */
export const gatewayMetrics = (
  registry: Registry,
  upstream: Pick<ControlPlane, 'waiting' | 'refused'>,
): GatewayMetrics => {
  const registers = [registry]
  const waiting: Gauge = new Gauge({
    name: 'mcp_upstream_waiting',
    help: 'Calls that wait for a connection to the control plane',
    registers,
    collect: () => waiting.set(upstream.waiting),
  })
  const refused: Counter = new Counter({
    name: 'mcp_upstream_refused_total',
    help: 'Calls refused because too many waited for a connection to the control plane',
    registers,
    collect: () => {
      refused.reset()
      refused.inc(upstream.refused)
    },
  })
  const calls = new Counter({
    name: 'mcp_tool_calls_total',
    help: 'Calls of tools, by tool and outcome',
    labelNames: ['tool', 'outcome'] as const,
    registers,
  })
  const requests = new Counter({
    name: 'mcp_requests_total',
    help: 'Requests answered, by endpoint and HTTP status',
    labelNames: ['endpoint', 'status'] as const,
    registers,
  })
  const seconds = new Histogram({
    name: 'mcp_request_seconds',
    help: 'Time from a request to its answer, by endpoint',
    labelNames: ['endpoint'] as const,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers,
  })
  return {
    called: (tool, outcome) => calls.inc({ tool, outcome }),
    answered: (endpoint, status, took) => {
      requests.inc({ endpoint, status })
      seconds.observe({ endpoint }, took)
    },
  }
}
