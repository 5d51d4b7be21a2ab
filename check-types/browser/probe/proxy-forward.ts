import { codeOf } from '@probe-mesh/runtime/errors'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Guard } from '@probe-mesh/probe-agent/src/request/guard'
import { connectionClosed, failureOf } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { dial } from './dial.ts'
import { forwardedHeaders } from './proxy-headers.ts'
import type { ProxyRun } from './proxy-run.ts'

/** Marks an answer of the proxy itself; its value comes from `ProxyRun.sign`. */
export const failureHeader = 'x-probe-failure'

/** Answered by the proxy itself: the request that gives Chromium a run's credential. */
export const authenticationUrl = 'http://greeting.probe-mesh.invalid/'

const headerBytesMax = 256 * 1024

/** Forwards one http request over a fresh connection to a target. */
export const forward = async (
  request: IncomingMessage,
  response: ServerResponse,
  run: ProxyRun,
  guard: Guard,
): Promise<void> => {
  response.on('error', () => response.destroy())
  if (request.url === authenticationUrl) return greet(response)
  const url = URL.parse(request.url ?? '')
  if (url === null || url.protocol !== 'http:') return answer(response, 400, 'not a web address')
  const dialled = await dial(url, run, guard)
  if (!dialled.ok) {
    const status = dialled.why === 'failed' ? 502 : 403
    return answer(response, status, dialled.failure.reason, run.sign(dialled.failure))
  }
  const { socket, reached } = dialled
  if (response.destroyed) return void socket.destroy()
  const local = reached.address !== null && guard.allow.covers(reached.address)
  const upstream = http.request({
    createConnection: () => socket,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: [...forwardedHeaders(request.rawHeaders), 'Connection', 'close'],
    maxHeaderSize: headerBytesMax,
    insecureHTTPParser: false,
  })
  const end = (): void => {
    upstream.destroy()
    socket.destroy()
  }
  const fail = (failure: Failure): void => {
    reached.failure ??= failure
    end()
    if (response.headersSent) response.destroy()
    else answer(response, 502, failure.reason, run.sign(failure))
  }
  upstream.on('error', (error) => fail(failureOfAnswer(error, local)))
  upstream.on('upgrade', () => fail(connectionClosed))
  upstream.on('response', (from) => {
    from.on('error', () => response.destroy())
    from.on('data', (chunk: Buffer) => run.count(chunk.length))
    from.once('close', () => {
      if (!from.complete) response.destroy()
    })
    response.sendDate = false
    response.writeHead(from.statusCode ?? 502, forwardedHeaders(from.rawHeaders))
    from.pipe(response)
  })
  response.once('close', end)
  request.on('data', (chunk: Buffer) => run.count(chunk.length))
  request.pipe(upstream)
}

/** Node reports a reset for a connection that ends before a response; that has its own cause. */
const failureOfAnswer = (error: Error, local: boolean): Failure =>
  error.message === 'socket hang up' ? connectionClosed : failureOf('ttfb', codeOf(error), { local })

const greet = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<link rel="icon" href="data:,">')
}

const answer = (
  response: ServerResponse,
  status: number,
  text: string,
  signature: string | null = null,
): void => {
  if (response.destroyed) return
  const signed = signature === null ? {} : { [failureHeader]: signature }
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...signed }
  response.writeHead(status, headers).end(text)
}
