import { createHash, type X509Certificate } from 'node:crypto'
import { pinOf } from '@probe-mesh/contracts/target/server-identity'
import { certificateNotPinned } from './failure.ts'
import type { Failure } from './outcome.ts'

/** Why a certificate is none that the check pinned (S-352); null: it is, or nothing is pinned. */
export const pinFailure = (
  certificate: X509Certificate | undefined,
  pins: readonly string[] | undefined,
): Failure | null => {
  if (pins === undefined) return null
  if (certificate === undefined) return certificateNotPinned('none')
  const key = createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
  const digests = { key, certificate: certificate.fingerprint256.replaceAll(':', '').toLowerCase() }
  const isPinned = pins.some((text) => {
    const pin = pinOf(text)
    return pin !== null && digests[pin.of] === pin.digest
  })
  return isPinned ? null : certificateNotPinned(`sha256//${key}`)
}
