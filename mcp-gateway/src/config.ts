import { gatewayKeyRule, isGatewayKey } from '@probe-mesh/contracts/outage/gateway'
import { hostInUrl } from '@probe-mesh/contracts/target/host-in-url'
import { parseTrustProxy, trustProxyRule } from '@probe-mesh/contracts/target/trust-proxy'
import type { TrustProxy } from '@probe-mesh/contracts/target/trust-proxy'
import { allowedHostsOf } from '@probe-mesh/runtime/allowed-hosts'
import { LogLevel } from '@probe-mesh/runtime/log-level'
import { isMetricsToken, metricsTokenRule } from '@probe-mesh/runtime/metrics-page'
import { partsOf } from '@probe-mesh/runtime/parts-of'

/** The gateway's part of the environment, parsed once at start (S-3204). */
export type GatewayConfig = {
  readonly host: string
  readonly port: number
  /** The gateway's public URL without a trailing slash; null: the port is not known yet. */
  readonly mcpUrl: string | null
  /** Root of the REST API. */
  readonly apiUrl: string
  /** Its credential at the control plane. */
  readonly gatewayKey: string
  /** The token for `/metrics`; null: only this machine may read them. */
  readonly metricsToken: string | null
  /** Host names that a request may be for, and pages that may send one. */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** false, or the addresses and CIDRs whose `X-Forwarded-For` counts. */
  readonly trustProxy: TrustProxy
  /** Paths of PEM files; null: it answers without TLS, as on the loopback or behind a proxy on its machine. */
  readonly tls: { readonly certificate: string; readonly key: string } | null
  readonly logLevel: LogLevel
}

export type ParsedGatewayConfig =
  | { ok: true; config: GatewayConfig }
  | { ok: false; problems: string[] }

type Environment = Readonly<Record<string, string | undefined>>

const portDefault = 8081

/** Reads the environment; every wrong value is a problem, and all are listed at once. */
export const parseGatewayConfig = (environment: Environment): ParsedGatewayConfig => {
  const problems: string[] = []
  const text = (name: string): string | null => {
    const value = environment[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const list = (name: string): string[] => partsOf(text(name) ?? '')
  const url = (name: string): string | null => {
    const value = text(name)
    if (value === null || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value
    problems.push(`${name} must be a URL that starts with http:// or https://`)
    return null
  }
  const host = text('HOST') ?? '127.0.0.1'
  const ports = text('MCP_PORT') ?? String(portDefault)
  if (!/^\d{1,5}$/.test(ports) || Number(ports) > 65_535) {
    problems.push(`MCP_PORT must be a number from 0 to 65535, not ${ports}`)
  }
  const gatewayKey = text('GATEWAY_KEY') ?? ''
  if (!isGatewayKey(gatewayKey)) {
    problems.push(`GATEWAY_KEY ${gatewayKeyRule}, the same as at the control plane`)
  }
  const metricsToken = text('METRICS_TOKEN')
  if (metricsToken !== null && !isMetricsToken(metricsToken)) {
    problems.push(`METRICS_TOKEN ${metricsTokenRule}`)
  }
  const logLevel = LogLevel.safeParse(text('LOG_LEVEL') ?? 'info')
  if (!logLevel.success) {
    problems.push(
      `LOG_LEVEL must be one of ${LogLevel.options.join(', ')}, not ${text('LOG_LEVEL')}`,
    )
  }
  const trustProxy = parseTrustProxy(text('TRUST_PROXY'))
  if (trustProxy === null) problems.push(`TRUST_PROXY ${trustProxyRule}`)
  const [certificate, privateKey] = [text('TLS_CERT'), text('TLS_KEY')]
  if ((certificate === null) !== (privateKey === null)) {
    const missing = certificate === null ? 'TLS_CERT' : 'TLS_KEY'
    problems.push(`${missing} is required where the other one is set`)
  }
  const tls = certificate === null || privateKey === null ? null : { certificate, key: privateKey }
  const port = Number(ports)
  const own = `${tls === null ? 'http' : 'https'}://${hostInUrl(host)}:${port}`
  const mcpUrl = url('MCP_URL')?.replace(/\/+$/, '') ?? (port === 0 ? null : own)
  const publicUrl = url('PUBLIC_URL') ?? 'http://127.0.0.1:8080'
  const urls = [mcpUrl, publicUrl]
  const config: GatewayConfig = {
    host,
    port,
    mcpUrl,
    apiUrl: `${(url('CONTROL_PLANE_URL') ?? publicUrl).replace(/\/+$/, '')}/v1`,
    gatewayKey,
    metricsToken,
    allowedHosts: allowedHostsOf(urls, list('MCP_ALLOWED_HOSTS')),
    allowedOrigins: allowedHostsOf(urls, list('MCP_ALLOWED_ORIGINS')),
    trustProxy: trustProxy ?? false,
    tls,
    logLevel: logLevel.data ?? 'info',
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: Object.freeze(config) }
}
