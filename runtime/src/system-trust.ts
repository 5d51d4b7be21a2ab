import tls from 'node:tls'
import { causesOf, codeOf } from './errors.ts'

const unknownIssuerCodes = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
])
const causesMax = 6

/** Whether a connection failed because this process does not know the issuer of the certificate. */
export const isUnknownIssuer = (error: unknown): boolean =>
  causesOf(error, causesMax).some((cause) => unknownIssuerCodes.has(codeOf(cause)))

/** Whether the store had certificates that were unknown; null: not read yet. */
let hadMore: boolean | null = null

/**
 * Trusts the certificates of the system's store too. Reading it takes time that most calls need not spend, so
 * callers do it when an issuer is unknown, and then try again: nothing was sent before.
 * @returns whether another try may succeed. A Node before 22.19 cannot read the store
 */
export const trustSystemStore = (): boolean => {
  hadMore ??= addMissing()
  return hadMore
}

const addMissing = (): boolean => {
  const more = moreThanDefault()
  if (more.length > 0) tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...more])
  return more.length > 0
}

/** The certificates of the system's store that Node does not trust by itself, PEM. */
export const moreThanDefault = (): string[] => {
  if (typeof tls.setDefaultCACertificates !== 'function') return []
  const known = new Set(tls.getCACertificates('default').map(withoutLines))
  return tls.getCACertificates('system').filter((one) => !known.has(withoutLines(one)))
}

const withoutLines = (pem: string): string => pem.replace(/\s/g, '')
