import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'

const answerMsMax = 30_000

export type Sent = {
  method?: 'GET' | 'POST' | 'PATCH'
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array | string
  /** The client's own address, of the loopback. */
  from?: string
}
type Answer = { status: number; headers: IncomingMessage['headers']; text: string }

/** A client of a proxy on the loopback. */
export type Client = {
  /** Sends a request on a new connection. @throws without an answer */
  send(path: string, sent?: Sent): Promise<Answer>
  /** Opens an endless answer, such as a stream of events. */
  follow(path: string, sent: Sent): Promise<{ answer: IncomingMessage; end: () => void }>
}

export const clientOf = (port: number, ca: Buffer): Client => {
  const open = (path: string, { method = 'GET', headers, body, from }: Sent, signal?: AbortSignal) => {
    const pending = request({
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path,
      method,
      ca,
      agent: false,
      headers: { host: 'localhost', ...headers },
      ...(from === undefined ? {} : { localAddress: from }),
      ...(signal === undefined ? {} : { signal }),
    })
    pending.end(body)
    return pending
  }
  const answerTo = async (pending: ReturnType<typeof open>): Promise<IncomingMessage> => {
    const [answer] = (await once(pending, 'response')) as [IncomingMessage]
    return answer
  }
  return {
    send: async (path, sent = {}) => {
      const answer = await answerTo(open(path, sent, AbortSignal.timeout(answerMsMax)))
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      const { statusCode: status = 0, headers } = answer
      return { status, headers, text: Buffer.concat(chunks).toString() }
    },
    follow: async (path, sent) => {
      const closing = new AbortController()
      const pending = open(path, sent, closing.signal)
      pending.on('error', () => undefined)
      const answer = await answerTo(pending)
      answer.on('error', () => undefined)
      return { answer, end: () => closing.abort() }
    },
  }
}
