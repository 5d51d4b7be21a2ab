import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { calls, type CallName, type ProviderHandlers, type Request, type Response } from './messages.ts'
import { frame } from './server.ts'

/** A provider that answers every call with nothing, but for what a test says. */
export const handlersWith = (own: Partial<ProviderHandlers>): ProviderHandlers => {
  const empty = Object.keys(calls).map((name) => [name, () => Promise.resolve({})])
  return { ...(Object.fromEntries(empty) as ProviderHandlers), ...own }
}

type Answer = { status: number; message: string; body: Buffer }

/** A client of gRPC on a socket: with `tls` as Terraform is one, without in plain text. */
export const createClient = (
  path: string,
  tls: { ca: string; cert: string; key: string } | null,
): {
  session: ClientHttp2Session
  send(method: string, body: Uint8Array, signal?: AbortSignal): Promise<Answer>
  call<Name extends CallName>(name: Name, request: Request<Name>): Promise<Response<Name>>
  close(): void
} => {
  const session = connectHttp2('http://localhost', {
    createConnection: () =>
      tls === null
        ? connectSocket(path)
        : connectTls({ path, servername: 'localhost', ALPNProtocols: ['h2'], ...tls }),
  })
  // each call says for itself how it ended
  session.on('error', () => {})
  const send = (method: string, body: Uint8Array, signal?: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const stream = session.request(
        { ':method': 'POST', ':path': method, 'content-type': 'application/grpc', te: 'trailers' },
        signal === undefined ? {} : { signal },
      )
      const chunks: Buffer[] = []
      let ended = { status: -1, message: '' }
      const note = (headers: Record<string, unknown>): void => {
        if (headers['grpc-status'] === undefined) return
        const message = decodeURIComponent(String(headers['grpc-message'] ?? ''))
        ended = { status: Number(headers['grpc-status']), message }
      }
      stream.on('response', note)
      stream.on('trailers', note)
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (ended.status === -1) reject(new Error('the call ended without a status'))
        else resolve({ ...ended, body: Buffer.concat(chunks) })
      })
      stream.on('error', reject)
      stream.end(body)
    })
  return {
    session,
    send,
    call: async (name, request) => {
      const { request: asked, response } = calls[name]
      const path = `/tfplugin6.Provider/${name.charAt(0).toUpperCase()}${name.slice(1)}`
      const { status, message, body } = await send(path, frame(asked.encode(request as never)))
      if (status !== 0) throw new Error(`status ${status}: ${message}`)
      return response.decode(body.subarray(5)) as Response<typeof name>
    },
    close: () => session.destroy(),
  }
}
