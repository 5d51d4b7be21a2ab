import type { X509Certificate } from 'node:crypto'
import {
  certificateNamesMax,
  certificateTextMax,
  type SeenCertificate,
} from '@probe-mesh/contracts/reading/certificate'

type Cut = (text: string, charactersMax: number) => string

const sliced: Cut = (text, charactersMax) => text.slice(0, charactersMax).toWellFormed()

/** `DNS:a.example, IP Address:192.0.2.1`; a value with a comma or quote is quoted like JSON. */
const namePattern = /(?:^|, )(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g

/**
 * The stored fields of a certificate besides its expiry: issuer, names, start, and what ends before it.
 * @param endsWith the name of the certificate above it that ends first; null: none does
 * @param cut shortens a text of the certificate
 */
export const seenCertificate = (
  certificate: Pick<X509Certificate, 'subjectAltName' | 'issuer' | 'validFromDate'>,
  cut: Cut = sliced,
  endsWith: string | null = null,
): SeenCertificate => {
  const names: string[] = []
  let nameCount = 0
  for (const [, name = ''] of (certificate.subjectAltName ?? '').matchAll(namePattern)) {
    nameCount += 1
    if (names.length < certificateNamesMax) names.push(shown(name, cut))
  }
  return {
    issuer: distinguishedName(certificate.issuer, cut),
    names,
    nameCount,
    validFrom: Math.max(0, certificate.validFromDate.getTime()),
    ...(endsWith !== null && { endsWith: distinguishedName(endsWith, cut) }),
  }
}

/** Organisation and common name of a name with one attribute per line: `O=Let's Encrypt`, `CN=R3`. */
export const distinguishedName = (name: string, cut: Cut = sliced): string => {
  const attribute = (key: string): string[] =>
    name
      .split('\n')
      .filter((line) => line.startsWith(`${key}=`))
      .slice(0, 1)
      .map((line) => line.slice(key.length + 1))
  return shown([...attribute('O'), ...attribute('CN')].join(', '), cut)
}

/** Foreign text: one line, limited, never cut inside a character. */
const shown = (text: string, cut: Cut): string =>
  cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), certificateTextMax)
