import { X509Certificate } from 'node:crypto'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { certificatesIn, type ServerIdentity } from '@probe-mesh/contracts/target/server-identity'

/** What is wrong with the authorities of a check, which an agent could not use. */
export const caProblems = ({
  caCertificates: pem,
}: Pick<ServerIdentity, 'caCertificates'>): FieldProblem[] => {
  if (pem === undefined) return []
  const certificates = certificatesIn(pem)
  const begun = pem.split('-----BEGIN ').length - 1
  const unreadable = certificates.findIndex((each) => !isCertificate(each))
  const messages = [
    ...(begun > certificates.length ? ['has a block that is no certificate, or has no end; remove it'] : []),
    ...(unreadable < 0 ? [] : [`certificate ${unreadable + 1} cannot be read as a certificate in PEM`]),
  ]
  return messages.map((message) => ({ path: 'caCertificates', message }))
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).subject !== ''
  } catch {
    return false
  }
}
