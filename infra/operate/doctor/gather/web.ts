import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Config } from '@probe-mesh/control-plane/app/config'
import {
  chromiumFigure,
  chromiumStates,
  type ChromiumState,
} from '../../../start/processes/chromium-state.ts'
import type { MetricsAccess, WebFacts } from '../findings/machine-findings.ts'
import { gatherMsMax, skewOf } from './gather.ts'

const metricsBytesMax = 8 * 1024 * 1024

/** The control plane's address from the environment, else from the instance of DATA_DIR. */
export const webUrl = async (
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> => {
  const isSet = ['PUBLIC_URL', 'PORT', 'HOST'].some((name) => (environment[name] ?? '') !== '')
  if (isSet) return config.publicUrl
  const url = await fromCredentials(config.dataDir, 'apiUrl')
  return url === null ? config.publicUrl : url.replace(/\/v1$/, '')
}

/** The token for `/metrics` from the same places; null: none. */
export const metricsTokenOf = async ({
  metricsToken,
  dataDir,
}: Pick<Config, 'metricsToken' | 'dataDir'>): Promise<string | null> =>
  metricsToken ?? (await fromCredentials(dataDir, 'metricsToken'))

const fromCredentials = async (dataDir: string, name: string): Promise<string | null> => {
  try {
    const json: unknown = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
    const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/** Reads the control plane's readiness and metrics. @throws Error for no answer or another program's */
export const gatherWeb = async (
  url: string,
  metricsToken: string | null,
  now: () => number,
): Promise<WebFacts> => {
  const signal = AbortSignal.timeout(gatherMsMax)
  const sentAtMs = now()
  const startedAt = performance.now()
  const answer = await fetch(`${url}/readyz`, { signal, redirect: 'manual' })
  const tookMs = performance.now() - startedAt
  const receivedAtMs = now()
  const json: unknown = await answer.json().catch(() => null)
  const body: Record<string, unknown> = typeof json === 'object' && json !== null ? { ...json } : {}
  const { notReady, degraded } = body
  if (!Array.isArray(notReady)) throw new Error(`status ${answer.status}, which is not our answer`)
  const date = Date.parse(answer.headers.get('date') ?? '')
  const { access, text: metrics } = await readMetrics(url, metricsToken, signal)
  return {
    url,
    tookMs,
    notReady: notReady.map(String),
    // a control plane one version older sends none
    degraded: Array.isArray(degraded) ? degraded.flatMap(degradationOf) : [],
    // the header has whole seconds, rounded down
    skewMs: Number.isNaN(date) ? null : skewOf(date + 500, sentAtMs, receivedAtMs),
    certificateEndsAtMs: url.startsWith('https:') ? await certificateEnd(new URL(url)) : null,
    metrics: access,
    lag: sumBy(metrics, 'stream_lag_messages', 'consumer'),
    agents: sumBy(metrics, 'presence_agents', 'region'),
    chromium: chromiumIn(metrics),
    held: sumBy(metrics, 'loop_held_seconds', 'what'),
  }
}

const degradationOf = (body: unknown): WebFacts['degraded'] => {
  if (typeof body !== 'object' || body === null) return []
  const { part, effect } = { part: '', effect: '', ...body }
  return [{ part: String(part), effect: String(effect) }]
}

/** A documentation address: marks the request as forwarded from another machine. */
const fromElsewhere = { 'x-forwarded-for': '192.0.2.1' }

/** Reads the metrics, and tests whether other machines can. */
const readMetrics = async (
  url: string,
  token: string | null,
  signal: AbortSignal,
): Promise<{ access: MetricsAccess; text: string }> => {
  const ask = async (headers: Record<string, string>) => {
    const answer = await fetch(`${url}/metrics`, { headers, signal, redirect: 'manual' })
    return { ok: answer.ok, text: await answer.text() }
  }
  const [forwarded, own] = await Promise.all([
    ask(fromElsewhere),
    ask(token === null ? {} : { authorization: `Bearer ${token}` }),
  ])
  const closed = token === null ? 'this machine' : 'token'
  const access = forwarded.ok ? 'open' : own.ok ? closed : 'refused'
  return { access, text: own.ok ? own.text : '' }
}

/** The Chromium state of the agents in that process; null: none or unknown. */
const chromiumIn = (metrics: string): ChromiumState | null => {
  const states = sumBy(metrics, chromiumFigure, 'state')
  return chromiumStates.find((state) => states[state] === 1) ?? null
}

/** Sums a gauge by one of its labels, in Prometheus's text. Pure. */
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

/** When the certificate expires. Expired certificates are read too. */
const certificateEnd = async ({ hostname, port }: URL): Promise<number> =>
  new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = connect({
      host,
      port: Number(port === '' ? 443 : port),
      servername: host,
      rejectUnauthorized: false,
      timeout: gatherMsMax,
    })
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error('no certificate in time')))
    socket.once('error', reject)
  })
