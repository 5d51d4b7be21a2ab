import { codeOf } from '@probe-mesh/runtime/errors'
import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import tls, { type SecureContext, type TLSSocket } from 'node:tls'
import { expiryOf } from '@probe-mesh/probe-agent/src/request/connect'
import { connectionClosed, failureOf } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'

/** The result of a handshake, successful or not. */
export type Handshaken = {
  /** When the server's certificate expires, Unix ms. */
  certificateExpiresAt: number | null
  /** The certificate itself. */
  certificate: X509Certificate | null
} & ({ failure: Failure } | { failure: null; socket: TLSSocket; tlsMs: number; version: string })

/**
 * Starts TLS on an open connection, and verifies the certificate for a host. Offers no ALPN: a mail
 * server that supports it rejects clients that ask for HTTP.
 * @param literal the host is an address, which has no SNI and is verified as itself
 */
export const startTls = (
  plain: Socket,
  { host, literal, trust }: { host: string; literal: boolean; trust: SecureContext },
  { local, stop }: { local: boolean; stop: Stop },
): Promise<Handshaken> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    plain.setNoDelay(true)
    const socket = tls.connect({
      socket: plain,
      host,
      servername: literal ? '' : host,
      secureContext: trust,
      // Checked below: Node's own rejection would lose the certificate's dates.
      rejectUnauthorized: false,
    })

    let done = false
    const end = (failure: Failure | null): void => {
      if (done) return
      done = true
      stop.during(null)
      const certificate = socket.getPeerX509Certificate() ?? null
      const certificateExpiresAt = expiryOf(certificate, trust)
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
    socket.once('secureConnect', () => {
      const { authorized, authorizationError } = socket
      end(authorized ? null : failureOf('tls', String(authorizationError), { local }))
    })
  })
