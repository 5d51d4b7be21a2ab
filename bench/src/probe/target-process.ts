// The target: a page over http and https, answered at once or held.
import { once } from 'node:events'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import tls from 'node:tls'
import { answerParent } from '../harness/child.ts'
import { heldMs, heldPath, page, type TargetQuestion } from './targets.ts'

const response = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'Date: Fri, 20 Nov 2026 12:00:00 GMT',
    'Server: bench',
    'Content-Type: text/html; charset=utf-8',
    'Cache-Control: no-cache',
    `Content-Length: ${page.length}`,
    'Connection: close',
    '',
    page,
  ].join('\r\n'),
)

const heldRequest = Buffer.from(`GET ${heldPath}`)
/** Thousands of checks connect at once. The system may allow less. */
const backlog = 4_096

let held = 0
let mostHeld = 0

const serve = (socket: Socket): void => {
  socket.on('error', () => socket.destroy())
  // one request per connection, in one piece
  socket.once('data', (request: Buffer) => {
    if (!request.subarray(0, heldRequest.length).equals(heldRequest)) return socket.end(response)
    held += 1
    mostHeld = Math.max(mostHeld, held)
    setTimeout(() => {
      held -= 1
      socket.end(response)
    }, heldMs)
  })
}

const listen = async (server: Server): Promise<number> => {
  server.listen({ host: '127.0.0.1', port: 0, backlog })
  await once(server, 'listening')
  return portOf(server.address())
}

const portOf = (address: AddressInfo | string | null): number => {
  if (address === null || typeof address === 'string') throw new Error('no TCP server')
  return address.port
}

answerParent(async (question: TargetQuestion) => {
  if (question.kind === 'mostHeld') {
    const most = mostHeld
    mostHeld = held
    return most
  }
  const { key, cert } = question
  const secure = tls.createServer({ key, cert }, serve)
  secure.on('tlsClientError', () => undefined)
  return { httpPort: await listen(net.createServer(serve)), httpsPort: await listen(secure) }
})
