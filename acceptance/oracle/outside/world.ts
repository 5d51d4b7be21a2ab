// The target and the receiver of webhooks, in their own process: `world.ts FOLDER`, orders over IPC.
import { openSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Post, Request } from '../judging/facts.ts'
import { answerAt, type Answer, type Script } from '../judging/script.ts'
import type { Order, Receiving, Reply } from './orders.ts'

const slowMs = 1_200
const bodyBytesMax = 1_000_000
const [folder = '.'] = process.argv.slice(2)

/** Journals each request before its answer. */
const openJournal = <T>(name: string): ((line: T) => void) => {
  const file = openSync(join(folder, name), 'a')
  return (line) => void writeSync(file, `${JSON.stringify(line)}\n`)
}
const noteRequest = openJournal<Request>('requests')
const notePost = openJournal<Post>('posts')

let playing: { script: Script; beginsAt: number } | null = null
let receiving: Receiving = 'ok'

const answers: Record<Answer, (response: ServerResponse) => void> = {
  up: (response) => response.end('fine'),
  slow: (response) => void setTimeout(() => response.end('fine'), slowMs),
  e500: (response) => {
    response.statusCode = 500
    response.end('out of order')
  },
  hang: () => {},
  reset: (response) => response.socket?.resetAndDestroy(),
}

const target: RequestListener = (request, response) => {
  const at = Date.now()
  const check = (request.url ?? '/').slice(1)
  const answer = playing === null ? 'up' : answerAt(playing.script, check, at - playing.beginsAt)
  noteRequest({ at, check, answer })
  answers[answer](response)
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > bodyBytesMax) throw new Error('the message is too long')
  }
  return text
}

type Message = { type: string; data: { alertKey?: string; text?: string } }

const hook = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { type, data } = JSON.parse(await readBody(request)) as Message
  const answered = receiving
  notePost({
    at: Date.now(),
    hook: (request.url ?? '/').slice(1),
    id: String(request.headers['webhook-id']),
    answered,
    type,
    alertKey: data.alertKey ?? '',
    text: data.text ?? '',
  })
  if (answered === 'drop') response.socket?.resetAndDestroy()
  else response.writeHead(answered === 'ok' ? 200 : 503).end()
}

const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  return (server.address() as AddressInfo).port
}

const reply = (word: Reply): void => void process.send?.(word)

process.on('message', (order: Order) => {
  if ('receiving' in order) receiving = order.receiving
  else playing = order
  reply('done')
})
process.on('disconnect', () => process.exit())

reply({
  targetPort: await listen(target),
  hooksPort: await listen((request, response) => {
    hook(request, response).catch(() => response.destroy())
  }),
})
