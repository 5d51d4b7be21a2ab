import { codeOf } from '@probe-mesh/runtime/errors'
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { Socket } from 'node:net'
import { mayBeChallenge } from '@probe-mesh/probe-agent/src/judge/refusal-evidence'
import { interimResponsesMax } from '@probe-mesh/probe-agent/src/request/exchange'
import {
  badHttp,
  bodyIncomplete,
  connectionClosed,
  failureOf,
  headersTooLarge,
  noHttp2,
  tooManyInterimResponses,
} from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure, Headers } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'
import { answerTooLarge, endedBy, resetBy, tlsExpected, tooManySettings } from './failures.ts'
import { messageBytesMax, prefixBytes } from './message.ts'
import { createMeter, type Meter } from './meter.ts'

const contentBytesMax = prefixBytes + messageBytesMax
/** Of a page that is no gRPC: the marks of a refusal stand near its start. */
const pageBytesMax = 32 * 1024
const headBytesMax = 16 * 1024
/** A reset for too many headers is the probe's own if it received more than this. */
const smallBytesMax = 4 * 1024
const settingsMax = 20
/** HTTP/2 allows any three digits. */
const statusMin = 100
const noError = http2.constants.NGHTTP2_NO_ERROR

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
  request: Call,
  notes: CallNotes,
  { local, stop }: { local: boolean; stop: Stop },
): Promise<Called | Failure> =>
  new Promise((resolve) => {
    const state: CallState = {
      notes,
      local,
      stop,
      resolve,
      received: () => 0,
      startedAt: 0,
      done: false,
      head: null,
      headAt: 0,
      trailers: null,
      body: Buffer.alloc(0),
      ended: false,
      isWhole: false,
      goaway: null,
      isClosed: false,
    }
    socket.once('end', () => {
      state.isClosed = true
    })
    const meter = createMeter(socket, {
      onFirst: (first) => {
        const failure = otherProtocol(first)
        if (failure !== null) settle(state, failure)
      },
      onFull: () => fail(state, answerTooLarge),
    })
    state.received = meter.received
    socket.on('error', (error) => onError(state, error))
    socket.once('close', () => onClosed(state))
    stop.during(() => fail(state, stop.failure(phaseOf(state))))
    openStream(state, openSession(state, meter, request), request)
  })

/** What is known of a call under way. */
type CallState = {
  readonly notes: CallNotes
  readonly local: boolean
  readonly stop: Stop
  readonly resolve: (result: Called | Failure) => void
  /** Bytes of any kind so far. */
  received: () => number
  /** By `performance.now()`, as `headAt`. */
  startedAt: number
  done: boolean
  head: Pick<Called, 'status' | 'headers'> | null
  headAt: number
  trailers: Headers | null
  body: Buffer
  ended: boolean
  /** Node also ends the content when the connection closes within it. */
  isWhole: boolean
  goaway: number | null
  isClosed: boolean
}

const openSession = (state: CallState, { stream }: Meter, { authority, tls }: Call): ClientHttp2Session => {
  state.startedAt = performance.now()
  let settings = 0
  const session = http2.connect(`${tls ? 'https' : 'http'}://${authority}`, {
    ...sessionOptions,
    createConnection: () => stream,
  })
  session.on('error', (error) => onError(state, error))
  session.on('goaway', (code) => {
    state.goaway = code
  })
  session.on('remoteSettings', () => {
    settings += 1
    if (settings > settingsMax) fail(state, tooManySettings)
  })
  session.once('close', () => onClosed(state))
  return session
}

const openStream = (state: CallState, session: ClientHttp2Session, { content, ...request }: Call): void => {
  const timeoutMs = Math.max(1, Math.ceil(state.stop.leftMs()))
  let interim = 0
  const stream = session.request(headersOf(request, timeoutMs))
  stream.on('error', (error) => onError(state, error, stream.rstCode))
  stream.on('headers', () => {
    interim += 1
    if (interim > interimResponsesMax) settle(state, tooManyInterimResponses)
  })
  stream.once('response', (received, flags) => onHead(state, stream, received, flags))
  stream.once('trailers', (received) => onTrailers(state, received))
  stream.once('close', () => {
    const { rstCode = noError } = stream
    if (state.goaway === null && rstCode !== noError) onReset(state, rstCode)
    else onClosed(state)
  })
  stream.end(content)
}

const onHead = (
  state: CallState,
  stream: ClientHttp2Stream,
  received: IncomingHttpHeaders & IncomingHttpStatusHeader,
  flags: number,
): void => {
  state.headAt = performance.now()
  const headers = fieldsOf(received)
  const { ':status': status = 0 } = received
  if (isTooLarge(headers)) return settle(state, headersTooLarge)
  if (status < statusMin) return settle(state, badHttp)
  state.head = { status, headers }
  state.isWhole = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0
  state.notes.httpStatus = status
  state.notes.ttfbMs = roundMs(state.headAt - state.startedAt)
  const isPage = !isGrpc(state.head)
  if (isPage && status < 400 && !mayBeChallenge(status, headers)) answer(state)
  else readContent(state, stream, isPage)
}

const readContent = (state: CallState, stream: ClientHttp2Stream, isPage: boolean): void => {
  stream.on('data', (chunk: Buffer) => {
    if (state.done) return
    state.body = Buffer.concat([state.body, chunk])
    if (isPage && state.body.length >= pageBytesMax) answer(state)
    else if (!isPage && state.body.length > contentBytesMax) settle(state, answerTooLarge)
  })
  stream.once('end', () => {
    state.ended = true
    if (state.isWhole) complete(state)
  })
}

const onTrailers = (state: CallState, received: object): void => {
  const fields = fieldsOf(received)
  if (isTooLarge(fields)) return settle(state, headersTooLarge)
  state.trailers = fields
  state.isWhole = true
}

const onError = (state: CallState, error: unknown, resetCode?: number): void => {
  const code = codeOf(error)
  if (!code.startsWith('ERR_HTTP2_')) fail(state, failureOf(phaseOf(state), code, state))
  else if (state.goaway !== null) fail(state, endedBy(state.goaway))
  else if (code === 'ERR_HTTP2_STREAM_ERROR' && resetCode !== undefined) onReset(state, resetCode)
  else fail(state, badHttp)
}

const onReset = (state: CallState, code: number): void => {
  // a closed connection ends the stream with a code of the probe's own
  if (state.isClosed) return onClosed(state)
  const isOwn = code === http2.constants.NGHTTP2_ENHANCE_YOUR_CALM && state.received() > smallBytesMax
  fail(state, isOwn && state.head === null ? headersTooLarge : resetBy(code))
}

const onClosed = (state: CallState): void => {
  const { ended, isWhole, goaway, isClosed, head } = state
  if (ended && isWhole) complete(state)
  else if (goaway !== null) fail(state, endedBy(goaway))
  // whole, but without trailers
  else if (ended && !isClosed) complete(state)
  else fail(state, head === null ? connectionClosed : bodyIncomplete)
}

/** A page that is no gRPC is an answer, however it ends. */
const fail = (state: CallState, failure: Failure): void => {
  const { head, isWhole } = state
  if (head !== null && !isGrpc(head) && failure.fault === 'target') answer(state)
  else if (isWhole) complete(state)
  else settle(state, failure)
}

const complete = (state: CallState): void => {
  if (!state.done && state.head !== null) {
    state.notes.transferMs = roundMs(performance.now() - state.headAt)
  }
  answer(state)
}

const answer = (state: CallState): void => {
  const { head, trailers, body } = state
  if (head !== null) settle(state, { ...head, trailers, body })
}

const settle = (state: CallState, result: Called | Failure): void => {
  if (state.done) return
  state.done = true
  state.notes.received = state.received()
  state.stop.during(null)
  state.resolve(result)
}

const phaseOf = ({ head }: CallState) => (head === null ? 'ttfb' : 'transfer')

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
