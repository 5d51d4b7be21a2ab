import { codeOf } from '@probe-mesh/runtime/errors'
import { randomUUID } from 'node:crypto'
import { gatewayPools } from '@probe-mesh/contracts/api/request-pools'
import { retryAfterMs, wholeSeconds } from '@probe-mesh/runtime/retry-after'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { admissionPath, gatewayClientHeader, gatewayKeyHeader } from '@probe-mesh/contracts/outage/gateway'
import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { directNetwork, type Network } from '@probe-mesh/runtime/network'
import { Pool, ProxyAgent, errors, type Dispatcher } from 'undici'
import { createKnownKeys } from './known-keys.ts'

/** A call of the REST API, its path below `{api_url}`. */
export type ApiRequest = { method: Route['method']; path: string; body: string | null }

/** The caller of the gateway, as the control plane sees it. */
export type Caller = {
  /** The `Authorization` header as sent; null: none. */
  authorization: string | null
  /** The IP address whose quota a keyless call uses; the gateway does not store it. */
  address: string
}

/** The control plane's answer, unchanged. */
export type Answer = {
  status: number
  body: string
  /** In seconds, when a quota is used up. */
  retryAfterSeconds: number | undefined
}

export type ControlPlane = {
  /** @throws {ControlPlaneUnavailable} when there is no answer */
  call(request: ApiRequest, caller: Caller): Promise<Answer>
  /** Admits a caller whose request calls no route: 204, or the refusal. */
  admit(caller: Caller): Promise<Answer>
  /** Requests `/readyz` with this gateway's key: whether calls would be answered. */
  readiness(): Promise<UpstreamReadiness>
  /** Calls that wait for a connection, and those refused since the start. */
  readonly waiting: number
  readonly refused: number
  close(): Promise<void>
}

/** `refused`: the control plane has another GATEWAY_KEY, or none. */
export type UpstreamReadiness = 'ready' | 'unavailable' | 'refused'

/** The control plane does not answer: nothing listens, it is too slow, or too many calls wait. */
export class ControlPlaneUnavailable extends Error {}

const connections = gatewayPools.gatewayCalls.bounds.places
/** The API answers within 10 s, or says that the database is unavailable. */
const answerMsMax = 12_000
const connectMsMax = 2_000
const readyMsMax = 1_000
/** The longest answer is the list of 5,000 checks. */
const answerBytesMax = 32 * 1024 * 1024

const unauthorized = 401
/** The client address of the gateway's own requests. */
const own = '127.0.0.1'
const admission: ApiRequest = { method: 'POST', path: admissionPath, body: null }

/** @param options.apiUrl root of the REST API, such as `http://127.0.0.1:8080/v1` */
export const connectControlPlane = (options: {
  apiUrl: string
  gatewayKey: string
  /** Absent: without a proxy. */
  network?: Network
}): ControlPlane => {
  const { origin, pathname } = new URL(options.apiUrl)
  const prefix = pathname.replace(/\/$/, '')
  const pool = openPool(origin, options.network ?? directNetwork)
  const calls = createFairPool(gatewayPools.gatewayCalls.bounds)
  const keys = createKnownKeys(Date.now)

  /** Whose share of the connections a call uses. Unknown keys share one: that of their network. */
  const ownerOf = ({ authorization, address }: Caller): string =>
    (authorization === null ? null : keys.nameOf(authorization)) ?? networkOf(address)

  const send = async (request: ApiRequest, headers: Record<string, string>): Promise<Answer> => {
    const { method, body } = request
    const answer = await exchange(pool, { origin, method, path: prefix + request.path, headers, body })
    return {
      status: answer.status,
      body: answer.body,
      retryAfterSeconds: secondsOf(answer.headers['retry-after']),
    }
  }

  const call = async (request: ApiRequest, caller: Caller): Promise<Answer> => {
    const place = await calls.take(ownerOf(caller), { waitMsMax: answerMsMax })
    if (typeof place === 'string') throw new ControlPlaneUnavailable('too many calls wait for an answer')
    const headers = headersOf(options.gatewayKey, request, caller)
    try {
      // both tries carry the same Idempotency-Key
      const answer = await send(request, headers).catch((error: unknown) => {
        if (!isLostConnection(error)) throw error
        return send(request, headers)
      })
      if (caller.authorization !== null && answer.status !== unauthorized) {
        keys.note(caller.authorization)
      }
      return answer
    } catch (cause) {
      throw new ControlPlaneUnavailable('the control plane does not answer', { cause })
    } finally {
      place.release()
    }
  }

  return {
    call,
    admit: (caller) => call(admission, caller),
    readiness: async () => {
      try {
        const signal = AbortSignal.timeout(readyMsMax)
        const headers = { [gatewayKeyHeader]: options.gatewayKey, [gatewayClientHeader]: own }
        const request = { origin, method: 'GET', path: '/readyz', headers, signal } as const
        const { statusCode, body } = await pool.request(request)
        await body.dump()
        if (statusCode === unauthorized) return 'refused'
        return statusCode === 200 ? 'ready' : 'unavailable'
      } catch {
        return 'unavailable'
      }
    },
    get waiting() {
      return calls.waiting
    },
    get refused() {
      const { full, displaced, timeout } = calls.counts
      return full + displaced + timeout
    },
    close: () => pool.close(),
  }
}

const openPool = (origin: string, network: Network): Dispatcher => {
  const bounds = {
    connections,
    headersTimeout: answerMsMax,
    bodyTimeout: answerMsMax,
    maxResponseSize: answerBytesMax,
  }
  const url = new URL(origin)
  const proxy = network.proxyOf(url)
  const secureContext = network.trusted()
  const secure = secureContext === undefined ? {} : { secureContext }
  if (proxy === null) return new Pool(origin, { ...bounds, connect: { timeout: connectMsMax, ...secure } })
  return new ProxyAgent({
    ...bounds,
    uri: proxy.url.href,
    proxyTunnel: url.protocol === 'https:',
    requestTls: { timeout: connectMsMax, ...secure },
    proxyTls: { timeout: connectMsMax, ...secure },
  })
}

const headersOf = (
  gatewayKey: string,
  { method, body }: ApiRequest,
  { authorization, address }: Caller,
): Record<string, string> => ({
  accept: 'application/json',
  [gatewayKeyHeader]: gatewayKey,
  [gatewayClientHeader]: address,
  ...(authorization === null ? {} : { authorization }),
  ...(body === null ? {} : { 'content-type': 'application/json' }),
  ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
})

/** An idle connection that the other side closed, or a control plane that stopped. */
const isLostConnection = (error: unknown): boolean =>
  error instanceof errors.SocketError || lostCodes.has(codeOf(error))
const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED'])

const secondsOf = (value: Dispatcher.ResponseData['headers'][string]): number | undefined => {
  const waitMs = typeof value === 'string' ? retryAfterMs(value, Date.now()) : null
  return waitMs === null || waitMs === 0 ? undefined : wholeSeconds(waitMs)
}

/** A response of the API. */
type Response = {
  status: number
  headers: Dispatcher.ResponseData['headers']
  body: string
}

/**
 * One request and its whole response. It uses undici's own handler: the stream that `request` creates for
 * each body costs as much as the rest of a call.
 */
const exchange = (dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<Response> =>
  new Promise((resolve, reject) => {
    let [status, headers]: [number, Response['headers']] = [0, {}]
    const chunks: Buffer[] = []
    dispatcher.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_, statusCode, received) => {
        status = statusCode
        headers = received
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk)
      },
      onResponseEnd: () => {
        const [first] = chunks
        const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
        resolve({ status, headers, body: whole.toString('utf8') })
      },
      onResponseError: (_, error) => reject(error),
    })
  })
