import { createRecent } from '@probe-mesh/runtime/recent'
import { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { certificatesIn, type ServerIdentity } from '@probe-mesh/contracts/target/server-identity'
import { createTrust, type Secure } from './connect.ts'
import { deniedTarget, unusableCa } from './failure.ts'
import { isDeniedName } from './guard.ts'
import type { Failure } from './outcome.ts'

/**
 * How TLS names and verifies a server (S-351, S-352): by its host, unless the check has another name; by the
 * roots of the agent, unless the check has certificates of its own; and by its pins.
 * A site that opted out is not asked for by its name at another host (S-353).
 * @param literal whether the host is an address: it has no SNI, and the certificate must have the address
 */
export const identityOf = (
  { host, literal }: { host: string; literal: boolean },
  { serverName, caCertificates, pins }: ServerIdentity,
  { trust, deny }: { trust: SecureContext; deny: DenyList },
): Secure | Failure => {
  if (isDeniedName([serverName], { deny })) return deniedTarget
  const own = caCertificates === undefined ? trust : ownTrust(caCertificates)
  if (own === null) return unusableCa
  return {
    servername: serverName ?? (literal ? '' : host),
    verified: serverName ?? host,
    trust: own,
    ...(pins !== undefined && { pins }),
  }
}

/** Reading certificates and making a trust setting of them takes longer than the rest of a request's preparation. */
const ownTrusts = createRecent<SecureContext>(500)

/** Trusts these certificates alone, also one that is no root, as curl does. @returns null: one is not readable */
export const ownTrust = (pem: string): SecureContext | null => {
  const known = ownTrusts.get(pem)
  if (known !== undefined) return known
  const certificates = certificatesIn(pem)
  try {
    // what OpenSSL cannot read it leaves out without an error, and each server would be untrusted
    const areRead = certificates.every((each) => new X509Certificate(each).subject !== undefined)
    if (certificates.length === 0 || !areRead) return null
    const trust = createTrust(certificates, { allowPartialTrustChain: true })
    ownTrusts.set(pem, trust)
    return trust
  } catch {
    return null
  }
}
