import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSecretSealer } from '@probe-mesh/contracts/agent/agent-seal'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpRequestAssignment, MultistepRequestAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { SealedSecrets } from '@probe-mesh/contracts/secret/secret'
import { onTestFinished } from 'vitest'
import { createSecretOpener } from '../secret-opener.ts'

/** A request as a target received it. */
type Received = { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }
type Answer = (received: Received, response: http.ServerResponse, request: http.IncomingMessage) => void

type Options = https.ServerOptions & { host?: string; version?: '1.1' | '2' }

/** A real server until the test ends; with a key it speaks TLS, and with version 2 nothing but HTTP/2. */
export const startTarget = async (
  answer: Answer,
  { host = '127.0.0.1', version = '1.1', ...tls }: Options = {},
) => {
  const received: Received[] = []
  const listener = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = '', url = '', headers } = request
    const each = { method, url, headers, body: await text(request) }
    received.push(each)
    answer(each, response, request)
  }
  const isSecure = tls.key !== undefined
  const server =
    version === '2'
      ? http2.createSecureServer({ ...tls, allowHTTP1: false }, listener as never)
      : isSecure
        ? https.createServer({ ...tls, ALPNProtocols: ['http/1.1'] }, listener)
        : http.createServer(listener)
  server.on('sessionError', () => undefined)
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const at = (path = '/', name = host.includes(':') ? `[${host}]` : host): string =>
    `${isSecure ? 'https' : 'http'}://${name}:${port}${path}`
  return { at, received, port }
}

const regionKey = 'the key of the region, for tests'
export const opener = createSecretOpener(() => regionKey)

const checkId = '0190a000-0000-7000-8000-000000000001'
const base = {
  checkId,
  accountId: 'a',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds: 60,
  owner: 'account',
} as const

export const sealedFor = (secrets: SealedSecrets): string =>
  createSecretSealer(regionKey).seal(secrets, { checkId, region: 'fra' })

const sealing = (secrets: SealedSecrets | undefined) =>
  secrets !== undefined && { sealed: sealedFor(secrets) }

export const requestOf = (
  url: string,
  request: HttpRequestAssignment['request'],
  secrets?: SealedSecrets,
  more: Partial<HttpRequestAssignment> = {},
): HttpRequestAssignment => ({
  ...base,
  type: 'http_request',
  url,
  assertions: noAssertions,
  request,
  ...sealing(secrets),
  ...more,
})

export const journeyOf = (
  steps: MultistepRequestAssignment['steps'],
  secrets?: SealedSecrets,
): MultistepRequestAssignment => ({ ...base, type: 'multistep_request', steps, ...sealing(secrets) })
