import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'

const askMsMax = 30_000

export type Sent = {
  method?: 'GET' | 'POST' | 'PATCH'
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array | string
  /** The client's own address, of the loopback. */
  from?: string
}
export type Answer = { status: number; headers: IncomingMessage['headers']; text: string }

/** A client of a proxy on the loopback. */
export type Client = {
  /** Each over a connection of its own. @throws where there is no answer */
  ask(path: string, sent?: Sent): Promise<Answer>
  /** What comes of an answer that has no end, as it comes. */
  follow(path: string, sent: Sent): Promise<{ answer: IncomingMessage; end: () => void }>
}

export const clientOf = (port: number, ca: Buffer): Client => {
  const open = (path: string, { method = 'GET', headers, body, from }: Sent, signal?: AbortSignal) => {
    const asking = request({
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
    asking.end(body)
    return asking
  }
  const answerTo = async (asking: ReturnType<typeof open>): Promise<IncomingMessage> => {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    return answer
  }
  return {
    ask: async (path, sent = {}) => {
      const answer = await answerTo(open(path, sent, AbortSignal.timeout(askMsMax)))
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      const { statusCode: status = 0, headers } = answer
      return { status, headers, text: Buffer.concat(chunks).toString() }
    },
    follow: async (path, sent) => {
      const closing = new AbortController()
      const asking = open(path, sent, closing.signal)
      asking.on('error', () => undefined)
      const answer = await answerTo(asking)
      answer.on('error', () => undefined)
      return { answer, end: () => closing.abort() }
    },
  }
}
