import { codeOf } from '@probe-mesh/runtime/errors'
import http2, { type OutgoingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { mayBeChallenge } from '@probe-mesh/probe-agent/judge/refusal-evidence'
import { interimResponsesMax } from '@probe-mesh/probe-agent/request/exchange'
import {
  badHttp,
  bodyIncomplete,
  connectionClosed,
  failureOf,
  headersTooLarge,
  noHttp2,
  tooManyInterimResponses,
} from '@probe-mesh/probe-agent/request/failure'
import type { Failure, Headers } from '@probe-mesh/probe-agent/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/request/round'
import type { Stop } from '@probe-mesh/probe-agent/request/stop'
import { answerTooLarge, endedBy, resetBy, tlsExpected, tooManySettings } from './failures.ts'
import { messageBytesMax, prefixBytes } from './message.ts'
import { createMeter } from './meter.ts'

const contentBytesMax = prefixBytes + messageBytesMax
/** Of a page that is no gRPC: the marks of a refusal stand near its start. */
const pageBytesMax = 32 * 1024
const headBytesMax = 16 * 1024
/** A reset for too many headers is the probe's own if it received more than this. */
const smallBytesMax = 4 * 1024
const settingsMax = 20
/** HTTP/2 allows any three digits. */
const statusMin = 100

/** One stream, no push, at most 1 MB per session. */
const sessionOptions = {
  maxSessionMemory: 1,
  maxHeaderListPairs: 200,
  settings: { enablePush: false, maxHeaderListSize: headBytesMax },
} as const

/** What a server answered, gRPC or not. */
export type Called = {
  status: number
  headers: Headers
  /** null: none came. */
  trailers: Headers | null
  /** Of a page that is no gRPC the start. */
  body: Buffer
}

/** Observations of a call, also of a failed one. */
export type CallNotes = {
  /** Bytes of any kind. */
  received: number
  httpStatus: number | null
  ttfbMs: number | null
  transferMs: number | null
}

export type Call = { authority: string; tls: boolean; path: string; userAgent: string; content: Buffer }

/** Whether an answer is one of gRPC, with any encoding of its messages; gRPC-Web is another protocol. */
export const isGrpc = ({ status, headers }: Pick<Called, 'status' | 'headers'>): boolean =>
  status === 200 && /^application\/grpc(?:\+[\w.-]+)?\s*(?:;|$)/i.test(headers['content-type'] ?? '')

/**
 * One unary call over a fresh connection. The caller destroys the socket, which ends the call in any state.
 * @param notes filled in as the call proceeds
 */
export const call = (
  socket: Socket,
  { authority, tls, path, userAgent, content }: Call,
  notes: CallNotes,
  { local, stop }: { local: boolean; stop: Stop },
): Promise<Called | Failure> =>
  new Promise((resolve) => {
    let done = false
    let head: Pick<Called, 'status' | 'headers'> | null = null
    let headAt = 0
    let trailers: Headers | null = null
    let body: Buffer = Buffer.alloc(0)
    let ended = false
    /** Node also ends the content when the connection closes within it. */
    let isWhole = false
    let goaway: number | null = null
    let interim = 0
    let settings = 0
    let isClosed = false

    const settle = (result: Called | Failure): void => {
      if (done) return
      done = true
      notes.received = meter.received()
      stop.during(null)
      resolve(result)
    }
    const answer = (): void => {
      if (head !== null) settle({ ...head, trailers, body })
    }
    const complete = (): void => {
      if (!done && head !== null) notes.transferMs = roundMs(performance.now() - headAt)
      answer()
    }
    /** A page that is no gRPC is an answer, however it ends. */
    const fail = (failure: Failure): void => {
      if (head !== null && !isGrpc(head) && failure.fault === 'target') answer()
      else if (isWhole) complete()
      else settle(failure)
    }
    const onError = (error: unknown): void => {
      const code = codeOf(error)
      if (!code.startsWith('ERR_HTTP2_'))
        fail(failureOf(head === null ? 'ttfb' : 'transfer', code, { local }))
      else if (goaway !== null) fail(endedBy(goaway))
      else if (code === 'ERR_HTTP2_STREAM_ERROR') onReset(stream.rstCode)
      else fail(badHttp)
    }
    const onReset = (code: number): void => {
      // a closed connection ends the stream with a code of the probe's own
      if (isClosed) return onClosed()
      const isOwn = code === http2.constants.NGHTTP2_ENHANCE_YOUR_CALM && meter.received() > smallBytesMax
      fail(isOwn && head === null ? headersTooLarge : resetBy(code))
    }
    const onClosed = (): void => {
      if (ended && isWhole) complete()
      else if (goaway !== null) fail(endedBy(goaway))
      // whole, but without trailers
      else if (ended && !isClosed) complete()
      else fail(head === null ? connectionClosed : bodyIncomplete)
    }

    socket.once('end', () => {
      isClosed = true
    })
    const meter = createMeter(socket, {
      onFirst: (first) => {
        const failure = otherProtocol(first)
        if (failure !== null) settle(failure)
      },
      onFull: () => fail(answerTooLarge),
    })
    socket.on('error', onError)
    socket.once('close', onClosed)
    stop.during(() => fail(stop.failure(head === null ? 'ttfb' : 'transfer')))

    const startedAt = performance.now()
    const session = http2.connect(`${tls ? 'https' : 'http'}://${authority}`, {
      ...sessionOptions,
      createConnection: () => meter.stream,
    })
    session.on('error', onError)
    session.on('goaway', (code) => {
      goaway = code
    })
    session.on('remoteSettings', () => {
      settings += 1
      if (settings > settingsMax) fail(tooManySettings)
    })
    session.once('close', onClosed)

    const timeoutMs = Math.max(1, Math.ceil(stop.leftMs()))
    const stream = session.request(headersOf({ authority, tls, path, userAgent }, timeoutMs))
    stream.on('error', onError)
    stream.on('headers', () => {
      interim += 1
      if (interim > interimResponsesMax) settle(tooManyInterimResponses)
    })
    const read = (isPage: boolean): void => {
      stream.on('data', (chunk: Buffer) => {
        if (done) return
        body = Buffer.concat([body, chunk])
        if (isPage && body.length >= pageBytesMax) answer()
        else if (!isPage && body.length > contentBytesMax) settle(answerTooLarge)
      })
      stream.once('end', () => {
        ended = true
        if (isWhole) complete()
      })
    }
    stream.once('response', (received, flags) => {
      headAt = performance.now()
      const headers = fieldsOf(received)
      const { ':status': status = 0 } = received
      if (isTooLarge(headers)) return settle(headersTooLarge)
      if (status < statusMin) return settle(badHttp)
      head = { status, headers }
      isWhole = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0
      notes.httpStatus = status
      notes.ttfbMs = roundMs(headAt - startedAt)
      const isPage = !isGrpc(head)
      if (isPage && status < 400 && !mayBeChallenge(status, headers)) answer()
      else read(isPage)
    })
    stream.once('trailers', (received) => {
      const fields = fieldsOf(received)
      if (isTooLarge(fields)) settle(headersTooLarge)
      else {
        trailers = fields
        isWhole = true
      }
    })
    stream.once('close', () => {
      if (goaway === null && stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR) onReset(stream.rstCode)
      else onClosed()
    })
    stream.end(content)
  })

/** A server that answers HTTP/2 with something else; null: no sign of that. */
const otherProtocol = (first: Buffer): Failure | null => {
  if (first.toString('latin1') === 'HTTP/') return noHttp2
  return first[0] === tlsAlert && first[1] === tlsMajor ? tlsExpected : null
}
const tlsAlert = 0x15
const tlsMajor = 3

const headersOf = (
  { authority, tls, path, userAgent }: Omit<Call, 'content'>,
  timeoutMs: number,
): OutgoingHttpHeaders => ({
  ':method': 'POST',
  ':scheme': tls ? 'https' : 'http',
  ':authority': authority,
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-timeout': `${timeoutMs}m`,
  'user-agent': userAgent,
})

const isTooLarge = (headers: Headers): boolean =>
  Object.entries(headers)
    .flat(2)
    .reduce((bytes, each) => bytes + (each?.length ?? 0), 0) > headBytesMax

const fieldsOf = (headers: object): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))
