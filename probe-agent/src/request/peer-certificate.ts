import { createRecent } from '@probe-mesh/runtime/recent'
import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate, TLSSocket } from 'node:tls'

/** Whether the alternative names include host names; otherwise those of the subject count, too. */
const holdsHostNames = /(?:^|, )DNS:/

/**
 * Reads a server's certificate once, since Node returns it only once. Node then compares the host
 * with the alternative names only, which is all that `tls.checkServerIdentity` reads if they
 * include host names. By default Node builds objects of the whole certificate chain: a sixth of the
 * processor time of an https check (`npm run bench -- probe`).
 * @returns a function that returns the certificate after the handshake
 */
export const watchPeerCertificate = (socket: TLSSocket): (() => X509Certificate | undefined) => {
  let read: X509Certificate | undefined
  const certificate = (): X509Certificate | undefined => (read ??= socket.getPeerX509Certificate())
  const identity = (): Partial<PeerCertificate> => {
    const seen = certificate()
    const subjectaltname = seen && alternativeNames(seen)
    return subjectaltname !== undefined && holdsHostNames.test(subjectaltname)
      ? { subjectaltname }
      : (seen?.toLegacyObject() ?? {})
  }
  socket.getPeerCertificate = identity as TLSSocket['getPeerCertificate']
  return certificate
}

/** By fingerprint, which the end of the chain needs anyway: OpenSSL writes the names anew for each connection. */
const knownNames = createRecent<string>(1_000)
const namesCharactersMax = 1_000

const alternativeNames = (certificate: X509Certificate): string | undefined => {
  const { fingerprint256 } = certificate
  const known = knownNames.get(fingerprint256)
  if (known !== undefined) return known
  const { subjectAltName } = certificate
  if (subjectAltName !== undefined && subjectAltName.length <= namesCharactersMax) {
    knownNames.set(fingerprint256, subjectAltName)
  }
  return subjectAltName
}
