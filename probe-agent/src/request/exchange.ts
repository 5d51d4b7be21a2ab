import http from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@probe-mesh/contracts/limits'
import {
  codeOf,
  connectionClosed,
  failureOf,
  tooManyInterimResponses,
  upgradeRefused,
} from './failure.ts'
import { contentHeaders } from './message.ts'
import type { Message } from './message.ts'
import type { Failure } from './outcome.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** Responses 100 and 102 to 199 that are waited through before the real one. */
const interimResponsesMax = 20

const none: readonly string[] = []

export type Exchange = {
  request: ClientRequest
  response: IncomingMessage
  ttfbMs: number
  /** What went wrong after the head: it may come in the same packet, before anyone reads on. */
  error: Error | null
}

/** What stands in a request's head, and its content. */
export type RequestLine = {
  hostHeader: string
  path: string
  userAgent: string
  /** The value of the Cookie header; null for none. */
  cookie: string | null
  message: Message
}

/**
 * Sends one request over a fresh connection and waits for the head of the response. The caller
 * destroys the socket, which ends the exchange whatever its state.
 */
export const exchange = (
  socket: Socket,
  { hostHeader, path, userAgent, cookie, message }: RequestLine,
  { local, stop }: { local: boolean; stop: Stop },
): Promise<Exchange | Failure> =>
  new Promise((resolve) => {
    const request = http.request({
      createConnection: () => socket,
      method: message.method,
      path,
      headers: [
        'host',
        hostHeader,
        'user-agent',
        userAgent,
        'accept',
        '*/*',
        'accept-encoding',
        'gzip, deflate, br',
        'connection',
        'close',
        ...(cookie === null ? none : ['cookie', cookie]),
        ...contentHeaders(message),
      ],
      maxHeaderSize: limits.headerBytesMax,
      insecureHTTPParser: false,
    })
    const startedAt = performance.now()
    let done = false
    const settle = (result: Exchange | Failure): void => {
      if (done) return
      done = true
      stop.during(null)
      resolve(result)
    }
    const fail = (failure: Failure): void => settle(failure)
    let interim = 0
    request.on('response', (response) => {
      const ttfbMs = roundMs(performance.now() - startedAt)
      const begun: Exchange = { request, response, ttfbMs, error: null }
      const note = (error: Error): void => {
        begun.error ??= error
      }
      request.on('error', note)
      response.on('error', note)
      settle(begun)
    })
    request.on('information', () => {
      interim += 1
      if (interim > interimResponsesMax) fail(tooManyInterimResponses)
    })
    request.on('upgrade', () => fail(upgradeRefused))
    request.on('error', (error) => fail(requestFailure(error, local)))
    request.on('close', () => fail(connectionClosed))
    stop.during(() => fail(stop.failure('ttfb')))
    // As bytes: Node would join a text with the head, and change the head's encoding to the text's.
    request.end(message.body)
  })

/** Node calls a connection that ends before a response a reset; that is a cause of its own. */
const requestFailure = (error: Error, local: boolean): Failure =>
  error.message === 'socket hang up'
    ? connectionClosed
    : failureOf('ttfb', codeOf(error), { local })
