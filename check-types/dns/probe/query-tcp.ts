import { codeOf } from '@probe-mesh/runtime/errors'
import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { connect, type Connection } from '@probe-mesh/probe-agent/src/request/connect'
import { bodyIncomplete, connectionClosed, failureOf } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { createFrameReader, framed } from '@probe-mesh/probe-agent/src/dns/frame'
import type { QueryContext, QueryResult } from './query-udp.ts'
import type { Question } from '@probe-mesh/probe-agent/src/dns/message'
import { answerTo, createQuery } from '@probe-mesh/probe-agent/src/dns/query'
import { resolverBadTcpAnswer, resolverTcpFailed } from './resolver-failure.ts'

/**
 * Queries over TCP (RFC 7766): the first message must be the answer, since no other party can write
 * there.
 */
export const queryOverTcp = async (
  question: Question,
  server: ResolverAddress,
  context: QueryContext,
): Promise<QueryResult> => {
  const connection = await connect(server, null, context)
  if ('failure' in connection) return { ok: false, failure: resolverTcpFailed(connection.failure) }
  try {
    const query = createQuery(question)
    const received = readMessage(connection, context)
    connection.socket.write(framed(query.bytes))
    const message = await received
    if ('cause' in message) return { ok: false, failure: resolverTcpFailed(message) }
    const answer = answerTo(query, message)
    return typeof answer === 'string' ? { ok: false, failure: resolverBadTcpAnswer } : { ok: true, answer }
  } finally {
    connection.socket.destroy()
  }
}

/** Reads one message with its length, which limits it to 64 KB. */
const readMessage = ({ socket }: Connection, { stop, local }: QueryContext): Promise<Buffer | Failure> =>
  new Promise((resolve) => {
    const reader = createFrameReader()
    let done = false
    const settle = (message: Buffer | Failure): void => {
      if (done) return
      done = true
      stop.during(null)
      socket.pause()
      resolve(message)
    }
    socket.on('data', (chunk) => {
      if (done) return
      const message = reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      if (message !== null) settle(message)
    })
    socket.on('error', (error) => settle(failureOf('ttfb', codeOf(error), { local })))
    socket.once('close', () => settle(reader.bytes === 0 ? connectionClosed : bodyIncomplete))
    stop.during(() => settle(stop.failure(reader.bytes === 0 ? 'ttfb' : 'transfer')))
  })
