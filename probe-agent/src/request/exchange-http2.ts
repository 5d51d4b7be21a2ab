import { codeOf } from '@probe-mesh/runtime/errors'
import http2, {
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { Socket } from 'node:net'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'
import type { Fields } from '../http1/fields.ts'
import { createContentRelay } from './content-relay.ts'
import { acceptedCodings, interimResponsesMax, type Exchange, type RequestLine } from './exchange.ts'
import { badHttp, bodyIncomplete, connectionClosed, failureOf, tooManyInterimResponses } from './failure.ts'
import { acceptOf, contentHeaders, cookieOf } from './message.ts'
import type { Failure } from './outcome.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** One stream, no push, at most 1 MB per session; nghttp2 limits a head to 64 KiB. */
const sessionOptions = {
  maxSessionMemory: 1,
  maxHeaderListPairs: 2_000,
  settings: { enablePush: false },
} as const

/**
 * Sends one request over a fresh connection to a server that supports only HTTP/2, as `exchange`
 * does for HTTP/1.1. The caller destroys the socket, which ends it in any state.
 */
export const exchangeHttp2 = (
  socket: Socket,
  line: RequestLine,
  { local, stop }: { local: boolean; stop: Stop },
): Promise<Exchange | Failure> =>
  new Promise((resolve) => {
    const content = createContentRelay()
    let begun = false
    let ended = false
    let interim = 0
    const settle = (result: Exchange | Failure): void => {
      if (begun) return
      begun = true
      stop.during(null)
      resolve(result)
    }
    const fail = (beforeHead: Failure, afterHead: Failure): void => {
      if (begun) content.onFailure(afterHead)
      else settle(beforeHead)
    }
    const onError = (error: unknown): void => {
      const code = codeOf(error)
      if (code.startsWith('ERR_HTTP2_')) fail(badHttp, bodyIncomplete)
      else fail(failureOf('ttfb', code, { local }), failureOf('transfer', code, { local }))
    }
    stop.during(() => settle(stop.failure('ttfb')))
    const startedAt = performance.now()
    const session = http2.connect(`https://${line.hostHeader}`, {
      ...sessionOptions,
      createConnection: () => socket,
    })
    session.on('error', onError)
    session.once('close', () => fail(connectionClosed, bodyIncomplete))
    socket.once('close', () => session.destroy())
    const { body } = line.message
    const stream = session.request(headersOf(line), { endStream: body === null })
    stream.on('error', onError)
    stream.on('headers', () => {
      interim += 1
      if (interim > interimResponsesMax) settle(tooManyInterimResponses)
    })
    stream.once('response', (headers) => {
      const headAt = performance.now()
      const head = { status: headers[':status'] ?? 0, headers: fieldsOf(headers) }
      settle({ head, headAt, ttfbMs: roundMs(headAt - startedAt), read: content.read })
    })
    stream.on('data', content.onData)
    stream.once('end', () => {
      ended = true
    })
    stream.once('close', () => {
      if (ended && !stream.aborted && stream.rstCode === http2.constants.NGHTTP2_NO_ERROR) {
        content.onEnd()
      }
      fail(connectionClosed, bodyIncomplete)
    })
    if (body !== null) stream.end(body)
  })

const headersOf = ({
  hostHeader,
  path,
  userAgent,
  sentRegion,
  cookie,
  message,
}: RequestLine): OutgoingHttpHeaders => {
  const content = contentHeaders(message)
  const cookies = cookieOf(message, cookie)
  const pairs = content.flatMap((name, at) => (at % 2 === 0 ? [[name, content[at + 1] ?? '']] : []))
  return {
    ':method': message.method,
    ':scheme': 'https',
    ':authority': hostHeader,
    ':path': path,
    'user-agent': userAgent,
    accept: acceptOf(message),
    'accept-encoding': acceptedCodings,
    ...(sentRegion === null ? {} : { [regionHeader]: sentRegion }),
    ...(cookies === null ? {} : { cookie: cookies }),
    ...Object.fromEntries(pairs),
  }
}

const fieldsOf = (headers: IncomingHttpHeaders & IncomingHttpStatusHeader): Fields =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))
