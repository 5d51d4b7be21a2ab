import type { Socket } from 'node:net'
import tls, { type TlsOptions } from 'node:tls'
import { startPeer, type Peer } from './peer.ts'

/** What a server says before TLS; a text is sent as it is. */
type Act = string | ((socket: Socket) => void)

export type TlsScript = {
  /** Sent at once. */
  greeting?: Act
  /** Replies to what the client sends, in order. */
  replies?: Act[]
  /** TLS after the last reply; absent: none. */
  tls?: TlsOptions
  /** What it says over TLS. */
  inside?: Act
}

type TlsPeer = Peer & {
  /** Names that clients asked for by SNI. */
  names: string[]
  /** What came over TLS. */
  secured: string
}

/** A server for one test that follows its script, whatever the client says. */
export const startTlsPeer = async (script: TlsScript): Promise<TlsPeer> => {
  const act = (socket: Socket, what: Act): void => {
    if (typeof what === 'string') socket.write(what, 'latin1')
    else what(socket)
  }
  const secure = (plain: Socket): void => {
    if (script.tls === undefined) return
    const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
      more.names.push(name)
      done(null)
    }
    const socket = new tls.TLSSocket(plain, { isServer: true, SNICallback, ...script.tls })
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      more.secured += chunk.toString('latin1')
    })
    socket.once('secure', () => {
      if (script.inside !== undefined) act(socket, script.inside)
    })
  }
  const more: Pick<TlsPeer, 'names' | 'secured'> = { names: [], secured: '' }
  const peer = await startPeer((socket) => {
    const replies = [...(script.replies ?? [])]
    if (script.greeting !== undefined) act(socket, script.greeting)
    const answer = (): void => {
      const reply = replies.shift()
      if (replies.length === 0) socket.off('data', answer)
      if (reply !== undefined) act(socket, reply)
      if (replies.length === 0) secure(socket)
    }
    if (replies.length === 0) secure(socket)
    else socket.on('data', answer)
  })
  return Object.assign(more, peer) as TlsPeer
}
