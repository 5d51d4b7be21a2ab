import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate, TLSSocket } from 'node:tls'

/** Whether host names are among the alternative names; else those of the subject count too. */
const holdsHostNames = /(?:^|, )DNS:/

/**
 * Reads a server's certificate once, since Node has it for who asks first alone, and has Node compare
 * it with the host by its alternative names, which is all that `tls.checkServerIdentity` reads where
 * there are host names among them. By itself Node first makes objects of everything in the certificate
 * and its issuers: a sixth of what an https check takes of the processor (`npm run bench -- probe`).
 * @returns what tells the certificate, once the handshake has brought it
 */
export const watchPeerCertificate = (socket: TLSSocket): (() => X509Certificate | undefined) => {
  let read: X509Certificate | undefined
  const certificate = (): X509Certificate | undefined => (read ??= socket.getPeerX509Certificate())
  const identity = (): Partial<PeerCertificate> => {
    const subjectaltname = certificate()?.subjectAltName
    return subjectaltname !== undefined && holdsHostNames.test(subjectaltname)
      ? { subjectaltname }
      : (certificate()?.toLegacyObject() ?? {})
  }
  socket.getPeerCertificate = identity as TLSSocket['getPeerCertificate']
  return certificate
}
