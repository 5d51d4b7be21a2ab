import { codeOf } from '@probe-mesh/runtime/errors'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { readMetrics } from './metrics.ts'
import type { OwnPortFacts } from '../findings/own-port-findings.ts'

const answerMsMax = 3_000
const answerBytesMax = 8 * 1024 * 1024
/** A server on all addresses also answers on loopback. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

type OwnPort = Pick<Config, 'host' | 'port' | 'publicUrl' | 'tls'>

/**
 * Identifies the program at HOST and PORT of this machine, without a proxy in between, and reads its metrics.
 * @param metricsToken null: none
 */
export const gatherOwnPort = async (config: OwnPort, metricsToken: string | null): Promise<OwnPortFacts> => {
  const { port } = config
  const host = loopbackOf[config.host] ?? config.host
  const shown = host.includes(':') ? `[${host}]` : host
  const url = `${config.tls === null ? 'http' : 'https'}://${shown}:${port}`
  try {
    const { text } = await ask(config, host, '/readyz', {})
    const json: unknown = JSON.parse(text)
    const ready: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'ready') : null
    if (typeof ready !== 'boolean') return { url, who: 'another program', metrics: null }
    const askMetrics = (headers: Record<string, string>) => ask(config, host, '/metrics', headers)
    const metrics = await readMetrics(askMetrics, metricsToken).catch(() => null)
    return { url, who: ready ? 'a ready control plane' : 'a control plane', metrics }
  } catch (error) {
    const who = nothingListens.has(codeOf(error)) ? 'nothing' : 'another program'
    return { url, who, metrics: null }
  }
}

/** Nothing listens there, or the address is not this machine's. */
const nothingListens = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

const ask = (
  { port, publicUrl, tls }: OwnPort,
  host: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { host: named, hostname } = new URL(publicUrl)
    const options = {
      host,
      port,
      path,
      agent: false,
      headers: { ...headers, host: named },
      signal: AbortSignal.timeout(answerMsMax),
      // the answer is only classified, so its certificate does not matter
      ...(tls !== null && { servername: hostname, rejectUnauthorized: false }),
    }
    const asking = (tls === null ? requestHttp : requestHttps)(options, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (text.length > answerBytesMax) asking.destroy(new Error('the answer is too long'))
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', reject)
    })
    asking.on('error', reject)
    asking.end()
  })
