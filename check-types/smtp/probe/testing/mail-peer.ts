import type { Socket } from 'node:net'
import tls from 'node:tls'
import type { KeyPair } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { startPeer, type Peer } from '../../../tcp/probe/testing/peer.ts'

type Act = string | ((socket: Socket) => void)

/** The replies of a scripted mail server; missing ones are those of a correct server. */
export type Script = {
  greeting?: Act
  ehlo?: Act
  helo?: Act
  starttls?: Act
  /** Replaces the handshake. */
  handshake?: (socket: Socket) => void
  securedEhlo?: Act
  /** TLS from the first byte on. */
  implicitTls?: boolean
  keyPair?: KeyPair & { ALPNProtocols?: string[] }
}

type MailPeer = Peer & {
  /** Each line received, those over TLS marked with `tls:`. */
  commands: string[]
}

const ehlo = '250-mx.example.com\r\n250-SIZE 1000\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n'

/** A mail server for one test that follows its script exactly. */
export const startMailPeer = async (script: Script = {}): Promise<MailPeer> => {
  const commands: string[] = []
  const act = (socket: Socket, what: Act): void => {
    if (typeof what === 'string') socket.write(what)
    else what(socket)
  }
  const secure = (plain: Socket): Socket => {
    const socket = new tls.TLSSocket(plain, { isServer: true, ...script.keyPair })
    socket.on('error', () => socket.destroy())
    return socket
  }
  const obey = (socket: Socket, secured: boolean): void => {
    let text = ''
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('utf8')
      const lines = text.split('\r\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        commands.push(secured ? `tls:${line}` : line)
        answer(line)
      }
    }
    const answer = (line: string): void => {
      if (line.startsWith('EHLO')) {
        act(socket, (secured ? script.securedEhlo : script.ehlo) ?? ehlo)
      } else if (line.startsWith('HELO')) {
        act(socket, script.helo ?? '250 mx.example.com\r\n')
      } else if (line === 'STARTTLS') {
        socket.off('data', onData)
        act(socket, script.starttls ?? '220 go ahead\r\n')
        if (script.handshake !== undefined) script.handshake(socket)
        else if (script.keyPair !== undefined) obey(secure(socket), true)
      } else if (line === 'QUIT') socket.end('221 bye\r\n')
    }
    socket.on('data', onData)
  }
  const peer = await startPeer((plain) => {
    const socket = script.implicitTls === true ? secure(plain) : plain
    act(socket, script.greeting ?? '220 mx.example.com ESMTP\r\n')
    obey(socket, script.implicitTls === true)
  })
  return Object.assign(peer, { commands })
}
