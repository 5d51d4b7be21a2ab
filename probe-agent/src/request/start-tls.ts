import { codeOf } from '@probe-mesh/runtime/errors'
import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import { expiryOf, verificationOf, verify, type Secure } from './connect.ts'
import { connectionClosed, failureOf } from './failure.ts'
import type { Failure } from './outcome.ts'
import { watchPeerCertificate } from './peer-certificate.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** The result of a handshake, successful or not. */
export type Handshaken = {
  /** When the server's certificate expires, Unix ms. */
  certificateExpiresAt: number | null
  /** The certificate itself. */
  certificate: X509Certificate | null
} & ({ failure: Failure } | { failure: null; socket: TLSSocket; tlsMs: number; version: string })

/**
 * Starts TLS on an open connection, and verifies the certificate. Offers no ALPN: a mail server that supports it
 * rejects clients that ask for HTTP.
 */
export const startTls = (
  plain: Socket,
  secure: Secure,
  { local, stop }: { local: boolean; stop: Stop },
): Promise<Handshaken> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    plain.setNoDelay(true)
    const socket = tls.connect({
      socket: plain,
      servername: secure.servername,
      secureContext: secure.trust,
      ...verificationOf(secure),
    })
    const certificateOf = watchPeerCertificate(socket)

    let done = false
    const end = (failure: Failure | null): void => {
      if (done) return
      done = true
      stop.during(null)
      const certificate = certificateOf() ?? null
      const certificateExpiresAt = expiryOf(certificate, secure.trust)
      if (failure === null) {
        const tlsMs = roundMs(performance.now() - startedAt)
        const version = socket.getProtocol() ?? ''
        resolve({ failure, socket, tlsMs, version, certificateExpiresAt, certificate })
        return
      }
      socket.destroy()
      plain.destroy()
      resolve({ failure, certificateExpiresAt, certificate })
    }
    socket.on('error', (error) => end(failureOf('tls', codeOf(error), { local })))
    socket.once('close', () => end(connectionClosed))
    stop.during(() => end(stop.failure('tls')))
    socket.once('secureConnect', () => end(verify(socket, certificateOf(), secure.pins, local)))
  })
