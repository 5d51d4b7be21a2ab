import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { forwardings, type Forwarding } from '@probe-mesh/runtime/forwarded'
import type { Config } from '@probe-mesh/control-plane/app/config'
import type { WebFacts } from '../findings/machine-findings.ts'
import { gatherMsMax, skewOf } from './gather.ts'
import { readMetrics } from './metrics.ts'

/** A challenge, so that the answer tells how the request arrived. */
const howArrived = '/healthz?door=doctor'

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
  patience: number,
): Promise<WebFacts> => {
  const signal = AbortSignal.timeout(gatherMsMax * patience)
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
  const askMetrics = async (headers: Record<string, string>) => {
    const answered = await fetch(`${url}/metrics`, { headers, signal, redirect: 'manual' })
    return { status: answered.status, text: await answered.text() }
  }
  const metrics = await readMetrics(askMetrics, metricsToken)
  return {
    url,
    tookMs,
    notReady: notReady.map(String),
    // a control plane one version older sends none
    degraded: Array.isArray(degraded) ? degraded.flatMap(degradationOf) : [],
    // the header has whole seconds, rounded down
    skewMs: Number.isNaN(date) ? null : skewOf(date + 500, sentAtMs, receivedAtMs),
    certificateEndsAtMs: url.startsWith('https:') ? await certificateEnd(new URL(url)) : null,
    metrics,
    proxy: await proxyOf(url, signal),
  }
}

/** How a request to this URL arrived at its program; null: an older version does not tell. */
export const proxyOf = async (url: string, signal: AbortSignal): Promise<Forwarding | null> => {
  const answer = await fetch(`${url}${howArrived}`, { signal, redirect: 'manual' })
  const json: unknown = await answer.json().catch(() => null)
  const proxy: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'proxy') : null
  return forwardings.find((each) => each === proxy) ?? null
}

const degradationOf = (body: unknown): WebFacts['degraded'] => {
  if (typeof body !== 'object' || body === null) return []
  const { part, effect } = { part: '', effect: '', ...body }
  return [{ part: String(part), effect: String(effect) }]
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
