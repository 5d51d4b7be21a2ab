import { loopbackHost } from '@probe-mesh/runtime/loopback'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from '@probe-mesh/bus/logger'
import { guardOfAccount, type Guard, type SharedGuard } from '@probe-mesh/probe-agent/src/request/guard'
import { credentialOf, connectUrlOf } from './proxy-headers.ts'
import { createProxyRun, proxyBoundsDefault, type ProxyBounds, type ProxyRun } from './proxy-run.ts'
import { forward } from './proxy-forward.ts'
import { dial } from './dial.ts'

const reasons = { 400: 'Bad Request', 403: 'Forbidden', 407: 'Authentication', 502: 'Bad Gateway' }

/**
 * Rejects CONNECT and ends the connection.
 * @param header lines that end with CRLF
 */
const refuseTunnel = (socket: Duplex, status: keyof typeof reasons, header = ''): void => {
  const end = 'Content-Length: 0\r\nConnection: close\r\n\r\n'
  socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${header}${end}`)
}

/** CONNECT: relays and counts bytes between the page and a target until either ends. */
const tunnel = async (
  tunnelRequest: { authority: string; socket: Duplex; head: Buffer; idleMsMax: number },
  run: ProxyRun,
  guard: Guard,
): Promise<void> => {
  const { socket, head, idleMsMax } = tunnelRequest
  const url = connectUrlOf(tunnelRequest.authority)
  if (url === null) return refuseTunnel(socket, 400)
  const dialled = await dial(url, run, guard)
  if (!dialled.ok) return refuseTunnel(socket, dialled.why === 'failed' ? 502 : 403)
  const upstream = dialled.socket
  if (socket.destroyed) return void upstream.destroy()
  const end = (): void => {
    socket.destroy()
    upstream.destroy()
  }
  upstream.on('error', end)
  upstream.once('close', end)
  socket.once('close', end)
  upstream.setTimeout(idleMsMax, end)
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) upstream.write(head)
  socket.on('data', (chunk: Buffer) => run.count(chunk.length))
  upstream.on('data', (chunk: Buffer) => run.count(chunk.length))
  socket.pipe(upstream)
  upstream.pipe(socket)
}

/**
 * Chromium's only way to the network: an HTTP proxy on loopback that connects only to targets, and
 * only for clients with the credential of a run.
 */
export type GuardedProxy = {
  readonly port: number
  /** Requests without the credential of a run, from Chromium itself or from another client. */
  readonly unknown: number
  /**
   * @param accountId owner of the measured page
   */
  open(accountId: string): ProxyRun
  close(): Promise<void>
}

type OpenRun = { run: ProxyRun; guard: Guard }

/** Chromium's own limit. */
const headerBytesMax = 256 * 1024
const headersMsMax = 10_000
const idleMsMax = 30_000
const connectionsMax = 512

/**
 * @throws Error when it cannot listen on loopback
 */
export const startGuardedProxy = async (
  guard: SharedGuard,
  log: Logger,
  bounds: ProxyBounds = proxyBoundsDefault,
): Promise<GuardedProxy> => {
  const onBug = (error: unknown, socket: Duplex): void => {
    socket.destroy()
    log.error({ err: error }, 'the proxy of the browser failed')
  }
  const runs = new Map<string, OpenRun>()
  let unknown = 0
  const runOf = (request: http.IncomingMessage): OpenRun | null => {
    const credential = credentialOf(request.headers['proxy-authorization'])
    const open = credential === null ? undefined : runs.get(credential.username)
    if (open?.run.isPassword(credential?.password ?? '') === true) return open
    unknown += 1
    return null
  }
  const server = http.createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersMsMax,
    requestTimeout: 0,
    keepAliveTimeout: idleMsMax,
  })
  server.maxConnections = connectionsMax
  server.timeout = idleMsMax
  server.on('request', (request, response) => {
    const open = runOf(request)
    if (open === null) return askForCredential(response)
    const { run, guard: own } = open
    run.own(request.socket)
    forward(request, response, run, own).catch((error) => onBug(error, request.socket))
  })
  server.on('connect', (request, socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const open = runOf(request)
    if (open === null) return refuseTunnel(socket, 407, askingHeader)
    const { run, guard: own } = open
    run.own(socket)
    const tunnelRequest = { authority: request.url ?? '', socket, head, idleMsMax }
    tunnel(tunnelRequest, run, own).catch((error) => onBug(error, socket))
  })
  server.on('upgrade', (_request, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, loopbackHost())
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    get unknown() {
      return unknown
    },
    open: (accountId) => {
      const run = createProxyRun(bounds, () => runs.delete(run.username))
      runs.set(run.username, { run, guard: { ...guard, ...guardOfAccount(guard, accountId) } })
      return run
    },
    close: async () => {
      for (const { run } of runs.values()) run.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const challenge = 'Basic realm="probe"'
const askingHeader = `Proxy-Authenticate: ${challenge}\r\n`

const askForCredential = (response: http.ServerResponse): void => {
  response.writeHead(407, { 'proxy-authenticate': challenge, 'content-length': 0 }).end()
}
