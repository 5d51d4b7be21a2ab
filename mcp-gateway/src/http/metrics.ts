import { createMetrics } from '@probe-mesh/runtime/metrics'
import { Histogram, type Registry } from 'prom-client'
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
  const metric = createMetrics(registry)
  metric.readGauge(
    'mcp_upstream_waiting',
    'Calls that wait for a connection to the control plane',
    () => upstream.waiting,
  )
  metric.readTotal(
    'mcp_upstream_refused_total',
    'Calls refused because too many waited for a connection to the control plane',
    () => upstream.refused,
  )
  const calls = metric.counter(
    'mcp_tool_calls_total',
    'Calls of tools, by tool and outcome',
    'tool',
    'outcome',
  )
  const requests = metric.counter(
    'mcp_requests_total',
    'Requests answered, by endpoint and HTTP status',
    'endpoint',
    'status',
  )
  const seconds = new Histogram({
    name: 'mcp_request_seconds',
    help: 'Time from a request to its answer, by endpoint',
    labelNames: ['endpoint'] as const,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [registry],
  })
  return {
    called: (tool, outcome) => calls.inc({ tool, outcome }),
    answered: (endpoint, status, took) => {
      requests.inc({ endpoint, status })
      seconds.observe({ endpoint }, took)
    },
  }
}
