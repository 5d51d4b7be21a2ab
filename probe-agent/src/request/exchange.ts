import { codeOf } from '@probe-mesh/runtime/errors'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'
import type { Socket } from 'node:net'
import { leniencies } from '../http1/notes.ts'
import type { Problem } from '../http1/problem.ts'
import { createResponseReader, type ResponseEvents, type ResponseHead } from '../http1/response-reader.ts'
import { createContentRelay, type ContentRelay } from './content-relay.ts'
import {
  badHttp,
  bodyIncomplete,
  connectionClosed,
  failureOf,
  headersTooLarge,
  noRoomForHeaders,
  tooManyInterimResponses,
  upgradeRefused,
} from './failure.ts'
import { acceptOf, contentHeaders, cookieOf, type Message } from './message.ts'
import type { HeadRoom } from './large-heads.ts'
import type { Notes } from './notes.ts'
import type { Failure } from './outcome.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** Limit of responses 100 and 102 to 199 before the final one. */
export const interimResponsesMax = 20

export const acceptedCodings = 'gzip, deflate, br'

const none: readonly string[] = []

export type Exchange = {
  head: ResponseHead
  /** By `performance.now()`. */
  headAt: number
  ttfbMs: number
  read: ContentRelay['read']
}

/** The head of a request, and its content. */
export type RequestLine = {
  hostHeader: string
  path: string
  userAgent: string
  /** Value of the region header; null: none. */
  sentRegion: string | null
  /** The cookies of the jar; null: none. */
  cookie: string | null
  message: Message
}

/**
 * Sends one request over a fresh connection and waits for the head of the response. The caller
 * destroys the socket, which ends the exchange in any state.
 */
export const exchange = (
  socket: Socket,
  line: RequestLine,
  { local, stop, room, notes }: { local: boolean; stop: Stop; room: HeadRoom; notes: Notes },
): Promise<Exchange | Failure> =>
  new Promise((resolve) => {
    const content = createContentRelay()
    let begun = false
    let interim = 0
    const settle = (result: Exchange | Failure): void => {
      begun = true
      stop.during(null)
      resolve(result)
    }
    const fail = (beforeHead: Failure, afterHead: Failure): void => {
      if (begun) content.onFailure(afterHead)
      else settle(beforeHead)
    }
    const events: ResponseEvents = {
      onInterim: (status) => {
        interim += 1
        if (status === 101) settle(upgradeRefused)
        else if (interim > interimResponsesMax) settle(tooManyInterimResponses)
        return !begun
      },
      onHead: (head) => {
        const headAt = performance.now()
        settle({ head, headAt, ttfbMs: roundMs(headAt - startedAt), read: content.read })
      },
      onData: content.onData,
      onEnd: content.onEnd,
      onProblem: (problem) => {
        const failure = room.isRefused() ? noRoomForHeaders : problems[problem]
        fail(failure, failure)
      },
    }
    const response = createResponseReader(line.message.method, room, events, (what) =>
      notes.add(leniencies[what]),
    )
    socket.on('data', response.push)
    socket.on('end', () => {
      if (!response.close()) fail(connectionClosed, bodyIncomplete)
    })
    socket.on('error', (error) => {
      const code = codeOf(error)
      fail(failureOf('ttfb', code, { local }), failureOf('transfer', code, { local }))
    })
    socket.on('close', () => fail(connectionClosed, bodyIncomplete))
    stop.during(() => settle(stop.failure('ttfb')))
    const startedAt = performance.now()
    send(socket, line)
  })

const problems: Readonly<Record<Problem, Failure>> = {
  malformed: badHttp,
  too_large: headersTooLarge,
}

const send = (socket: Socket, line: RequestLine): void => {
  const { hostHeader, path, userAgent, sentRegion, message } = line
  const cookie = cookieOf(message, line.cookie)
  const head = requestHead({
    method: message.method,
    path,
    fields: [
      'host',
      hostHeader,
      'user-agent',
      userAgent,
      'accept',
      acceptOf(message),
      'accept-encoding',
      acceptedCodings,
      'connection',
      'close',
      ...(sentRegion === null ? none : [regionHeader, sentRegion]),
      ...(cookie === null ? none : ['cookie', cookie]),
      ...contentHeaders(message),
    ],
  })
  if (message.body === null) socket.write(head, 'latin1')
  else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), message.body]))
}

/** A request's head: its fields as alternating names and values. */
type RequestHead = { method: string; path: string; fields: readonly string[] }

const notInValues = /[^\t\x20-\x7e\x80-\xff]/
const notInPaths = /[^\x21-\x7e]/

/**
 * The text of a request's head, sent as latin1.
 * @throws TypeError when a part would end its line: the caller has not validated it
 */
const requestHead = ({ method, path, fields }: RequestHead): string => {
  if (notInPaths.test(path)) throw new TypeError('a path contains an invalid character')
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (let at = 0; at < fields.length; at += 2) {
    const value = fields[at + 1] ?? ''
    if (notInValues.test(value)) {
      throw new TypeError(`the value of ${fields[at]} contains an invalid character`)
    }
    head += `${fields[at]}: ${value}\r\n`
  }
  return `${head}\r\n`
}
