import { gatewayKey } from '@probe-mesh/contracts/outage/gateway'
import { hostInUrl } from '@probe-mesh/contracts/target/host-in-url'
import { accessLogSetting } from '@probe-mesh/runtime/access-log'
import { logLevel, type LogLevel } from '@probe-mesh/runtime/log-level'
import { trustProxy, type TrustProxy } from '@probe-mesh/contracts/target/trust-proxy'
import { allowedHostsOf } from '@probe-mesh/runtime/allowed-hosts'
import { readEnvironment, together, type Environment } from '@probe-mesh/runtime/env'
import { metricsToken } from '@probe-mesh/runtime/metrics-page'
import { networkEnvironment, networkRule, openNetwork, type Network } from '@probe-mesh/runtime/network'
import {
  list,
  optional,
  path,
  port,
  required,
  right,
  text,
  url,
  withDefault,
} from '@probe-mesh/runtime/setting'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

/** The environment of a gateway, parsed once at start (S-3204). */
export type GatewayConfig = {
  readonly host: string
  readonly port: number
  /** The gateway's public URL without a trailing slash; null: the port is not known yet. */
  readonly mcpUrl: string | null
  /** Root of the REST API. */
  readonly apiUrl: string
  /** How it reaches the control plane. */
  readonly network: Network
  /** Its credential at the control plane. */
  readonly gatewayKey: string
  /** The token for `/metrics`; null: only this machine may read them. */
  readonly metricsToken: string | null
  /** Host names that a request may be for, and pages that may send one. */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** false, or the addresses and CIDRs whose `X-Forwarded-For` counts. */
  readonly trustProxy: TrustProxy
  /**
   * Paths of PEM files; null: it answers without TLS, as on the loopback or behind a proxy on its machine.
   */
  readonly tls: { readonly certificate: string; readonly key: string } | null
  readonly accessLog: 'on' | 'off'
  readonly logLevel: LogLevel
}

export type ParsedGatewayConfig = { ok: true; config: GatewayConfig } | { ok: false; problems: string[] }

const hosts = list<string[]>('host names', right)
const httpUrl = url('http', 'https')
const publicUrlDefault = 'http://127.0.0.1:8080'

/** Every variable that a gateway reads. */
export const gatewayEnvironment = {
  GATEWAY_KEY: required(gatewayKey, 'Credential at the control plane. The same for both.', {
    problem: 'is required: the GATEWAY_KEY of the control plane',
    isSecret: true,
  }),
  CONTROL_PLANE_URL: optional(httpUrl, '`PUBLIC_URL`', 'Where it calls the REST API.'),
  ...networkEnvironment,
  HOST: withDefault(text, '127.0.0.1', 'Address to listen on.'),
  MCP_PORT: withDefault(port, 8081, 'Port of `/public`, `/mcp`, `/healthz`, `/readyz` and `/metrics`.'),
  TLS_CERT: optional(path, 'no TLS', 'PEM file with the certificate. Requires `TLS_KEY`.'),
  TLS_KEY: optional(path, 'no TLS', 'PEM file with the private key of `TLS_CERT`.'),
  MCP_URL: optional(httpUrl, 'from `HOST` and `MCP_PORT`', 'URL of the gateway, as clients reach it.'),
  PUBLIC_URL: withDefault(httpUrl, publicUrlDefault, 'URL of the control plane, as clients reach it.'),
  MCP_ALLOWED_HOSTS: withDefault(
    hosts,
    [],
    'Further host names that requests may be for, besides those of `MCP_URL` and `PUBLIC_URL`, and of this machine.',
    { shown: 'none' },
  ),
  MCP_ALLOWED_ORIGINS: withDefault(hosts, [], 'Further host names of web pages that may send requests.', {
    shown: 'none',
  }),
  TRUST_PROXY: withDefault(trustProxy, false, 'Proxies whose `X-Forwarded-For` is believed.', {
    shown: 'off',
  }),
  METRICS_TOKEN: optional(
    metricsToken,
    'only this machine may read',
    'Token that readers of `/metrics` send as `Authorization: Bearer`.',
    { isSecret: true },
  ),
  ACCESS_LOG: accessLogSetting,
  LOG_LEVEL: withDefault(logLevel, 'info', 'Lowest level that is logged.'),
}

/** Reads the environment. All problems are listed at once. */
export const parseGatewayConfig = (environment: Environment): ParsedGatewayConfig => {
  const read = readEnvironment(gatewayEnvironment, environment, [
    together('TLS_CERT', 'TLS_KEY'),
    networkRule,
  ])
  if (!read.ok) return read
  const given = read.values
  const tls =
    given.TLS_CERT === null || given.TLS_KEY === null
      ? null
      : { certificate: given.TLS_CERT, key: given.TLS_KEY }
  const own = `${tls === null ? 'http' : 'https'}://${hostInUrl(given.HOST)}:${given.MCP_PORT}`
  const mcpUrl = withoutEnd(given.MCP_URL ?? (given.MCP_PORT === 0 ? '' : own), '/') || null
  const urls = [mcpUrl, given.PUBLIC_URL]
  const config: GatewayConfig = {
    host: given.HOST,
    port: given.MCP_PORT,
    mcpUrl,
    apiUrl: `${withoutEnd(given.CONTROL_PLANE_URL ?? given.PUBLIC_URL, '/')}/v1`,
    network: openNetwork(environment, { certificates: given.CA_FILE }),
    gatewayKey: given.GATEWAY_KEY,
    metricsToken: given.METRICS_TOKEN,
    allowedHosts: allowedHostsOf(urls, given.MCP_ALLOWED_HOSTS),
    allowedOrigins: allowedHostsOf(urls, given.MCP_ALLOWED_ORIGINS),
    trustProxy: given.TRUST_PROXY,
    tls,
    accessLog: given.ACCESS_LOG,
    logLevel: given.LOG_LEVEL,
  }
  return { ok: true, config: Object.freeze(config) }
}
