import { codeOf } from '@probe-mesh/runtime/errors'
import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { connect, type Connection } from '@probe-mesh/probe-agent/src/request/connect'
import { bodyIncomplete, connectionClosed, failureOf } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import type { QueryContext, QueryResult } from './query-udp.ts'
import type { Question } from './message.ts'
import { answerTo, createQuery } from './query.ts'
import { resolverBadTcpAnswer, resolverTcpFailed } from './resolver-failure.ts'

const lengthBytes = 2

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
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt16BE(query.bytes.length)
    const received = readMessage(connection, context)
    connection.socket.write(Buffer.concat([length, query.bytes]))
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
    const chunks: Buffer[] = []
    let bytes = 0
    let end = lengthBytes
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
      chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      bytes += chunk.length
      if (bytes < end) return
      if (end === lengthBytes) end += Buffer.concat(chunks).readUInt16BE(0)
      if (bytes >= end) settle(Buffer.concat(chunks).subarray(lengthBytes, end))
    })
    socket.on('error', (error) => settle(failureOf('ttfb', codeOf(error), { local })))
    socket.once('close', () => settle(bytes === 0 ? connectionClosed : bodyIncomplete))
    stop.during(() => settle(stop.failure(bytes === 0 ? 'ttfb' : 'transfer')))
  })
