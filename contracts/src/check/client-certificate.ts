import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import tls from 'node:tls'
import { blocksIn, elementsOf, isEncrypted, isPkcs12, plain, signedData } from '../schema/pem-blocks.ts'
import { codeOf } from '@probe-mesh/runtime/errors'

// The client certificate of a check, in the forms that OpenSSL, browsers and clouds write.

/** What OpenSSL reads: the own certificate first, then those that issued it, and its key. */
export type ClientIdentity = { certificate: string; key: string }

/** Why a text cannot be used, for people. It never has a part of the text. */
export type Unusable = { problem: string }

const charactersMax = 60_000
const certificatesMax = 20

/** Labels of RFC 7468 and of OpenSSL's older and own forms. */
const certificateLabels: ReadonlySet<string> = new Set([
  'CERTIFICATE',
  'X509 CERTIFICATE',
  'TRUSTED CERTIFICATE',
])
const pkcs7Labels: ReadonlySet<string> = new Set(['PKCS7', 'CMS', 'PKCS #7 SIGNED DATA'])
/** Beside a key or certificate they change nothing. */
const parameters: ReadonlySet<string> = new Set(['EC PARAMETERS', 'DH PARAMETERS', 'X9.42 DH PARAMETERS'])

const otherThings: readonly [label: RegExp, what: string][] = [
  [
    /CERTIFICATE REQUEST$/,
    'is a certificate request (CSR); paste the certificate that the authority made of it',
  ],
  [/PUBLIC KEY$/, 'is a public key; paste the certificate, and its private key as the key'],
  [/^X509 CRL$/, 'is a list of revoked certificates (CRL); paste the certificate'],
  [/^ATTRIBUTE CERTIFICATE$/, 'is an attribute certificate; paste the X.509 certificate'],
]
const pkcs12Problem =
  'is a PKCS#12 file (.p12, .pfx); convert it with openssl pkcs12 -in client.p12 -nodes -out client.pem, and paste that'
const encryptedProblem =
  'is encrypted; decrypt it with openssl pkey -in client.key -out plain.key, and paste that: it is stored as a secret'
const opensshProblem =
  'is a key of OpenSSH; convert a copy of it with ssh-keygen -p -m PEM -N "" -f client.key'

/**
 * The certificates of a text, each once: PEM with anything around it, DER in base64, PKCS#7. Private keys in the text are
 * left out.
 */
export const readCertificates = (text: string): X509Certificate[] | Unusable => {
  if (text.length > charactersMax) return { problem: `has more than ${charactersMax} characters` }
  const shown = plain(text)
  const found: X509Certificate[] = []
  let other: string | null = null
  for (const { label, der } of blocksIn(shown)) {
    if (parameters.has(label) || label.endsWith('PRIVATE KEY')) continue
    const known = otherThings.find(([pattern]) => pattern.test(label))?.[1]
    if (known !== undefined) {
      other ??= known
      continue
    }
    const read =
      certificateLabels.has(label) || pkcs7Labels.has(label) || label === '' ? certificatesOf(der) : null
    if (read === null) other ??= otherProblem(label, der)
    else found.push(...read)
  }
  const each = found.filter((one, at) => found.findIndex((same) => isSame(same, one)) === at)
  if (each.length > certificatesMax) return { problem: `has more than ${certificatesMax} certificates` }
  if (other !== null && (each.length === 0 || other.startsWith('has'))) return { problem: other }
  return each.length === 0 ? { problem: nothingProblem(shown) } : each
}

const isSame = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256

const otherProblem = (label: string, der: Buffer): string => {
  if (isPkcs12(der)) return pkcs12Problem
  if (label === '' && keyOf(der) !== null)
    return 'is a private key; paste it as the key, which is stored as a secret'
  return label === ''
    ? 'cannot be read as a certificate in PEM'
    : `has a block "${label}" that cannot be read`
}

const nothingProblem = (text: string): string => {
  if (/^(?:ssh|ecdsa)-/.test(text)) return 'is a public key of OpenSSH; paste an X.509 certificate in PEM'
  return (
    unfinished(text, /-----BEGIN ([A-Z0-9 ]{1,40})-----/) ??
    'must be a certificate in PEM, such as -----BEGIN CERTIFICATE-----'
  )
}

/** What says that a block of this beginning has no end; null: it has. */
const unfinished = (text: string, pattern: RegExp): string | null => {
  const label = pattern.exec(text)?.[1]
  return label === undefined || text.includes(`-----END ${label}-----`)
    ? null
    : `has no line -----END ${label}-----; paste the whole file`
}

const certificatesOf = (der: Buffer): X509Certificate[] | null => {
  // OpenSSL writes more after a trusted certificate
  const [first] = elementsOf(der)
  const own = first === undefined ? null : parse(first.whole)
  return own === null ? pkcs7Certificates(der) : [own]
}

const parse = (der: Buffer): X509Certificate | null => {
  try {
    return new X509Certificate(der)
  } catch {
    return null
  }
}

/** RFC 5652 5.1: the certificates of SignedData, which is all that a .p7b has; null: it is something else. */
const pkcs7Certificates = (der: Buffer): X509Certificate[] | null => {
  const [outer] = elementsOf(der)
  const [type, wrapped] = elementsOf(outer?.content ?? Buffer.alloc(0))
  if (type?.content.equals(signedData) !== true || wrapped === undefined) return null
  const [data] = elementsOf(wrapped.content)
  const set = elementsOf(data?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === 0xa0)
  const found = elementsOf(set?.content ?? Buffer.alloc(0)).map(({ whole }) => parse(whole))
  return found.length > 0 && found.every((each) => each !== null) ? found : null
}

/**
 * The private key of a text: PKCS#8, PKCS#1 or SEC 1, in PEM with anything around it, or DER in base64. The same key twice
 * is one.
 */
export const readPrivateKey = (text: string): KeyObject | Unusable => {
  if (text.length > charactersMax) return { problem: `has more than ${charactersMax} characters` }
  const shown = plain(text)
  if (shown.startsWith('PuTTY-User-Key-File'))
    return { problem: 'is a key of PuTTY; export it as an OpenSSL key in PEM' }
  const keys: KeyObject[] = []
  let other: string | null = null
  for (const { label, headers, der } of blocksIn(shown)) {
    if (parameters.has(label) || certificateLabels.has(label)) continue
    if (label === 'ENCRYPTED PRIVATE KEY' || /ENCRYPTED/.test(headers)) return { problem: encryptedProblem }
    if (label === 'OPENSSH PRIVATE KEY') return { problem: opensshProblem }
    const key = label === '' || label.endsWith('PRIVATE KEY') ? keyOf(der) : null
    if (key !== null) keys.push(key)
    else other ??= keyProblem(label, der)
  }
  const [key] = keys
  if (key === undefined) return { problem: other ?? nothingOfKey(shown) }
  return keys.every((each) => each.equals(key))
    ? key
    : { problem: 'has several private keys; keep the one of the certificate' }
}

const keyProblem = (label: string, der: Buffer): string => {
  if (isPkcs12(der)) return pkcs12Problem
  if (label === '' && certificatesOf(der) !== null) return 'is a certificate; paste its private key'
  if (label === 'PGP PRIVATE KEY BLOCK')
    return 'is a key of OpenPGP; paste the private key of the certificate in PEM'
  const known = otherThings.find(([pattern]) => pattern.test(label))?.[1]
  if (known !== undefined) return known.replace(/;.*/, '; paste the private key of the certificate')
  // an encrypted PKCS#8 without its label begins with the algorithm
  return label === '' && isEncrypted(der) ? encryptedProblem : 'cannot be read as a private key in PEM'
}

const nothingOfKey = (text: string): string =>
  unfinished(text, /-----BEGIN ([A-Z0-9 ]{0,30}PRIVATE KEY)-----/) ??
  (text.includes('-----BEGIN CERTIFICATE-----')
    ? 'is a certificate; paste its private key'
    : 'must be a private key in PEM, such as -----BEGIN PRIVATE KEY-----')

const keyOf = (der: Buffer): KeyObject | null => {
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: der, format: 'der', type })
    } catch {
      // another form, or no key
    }
  }
  return null
}

/**
 * The chain in the order of TLS: the certificate of the key, then each one that issued the one before, then the rest as
 * given (RFC 8446 4.4.2). Without the key the first certificate that issued no other is the own one.
 */
const orderChain = (certificates: readonly X509Certificate[], key: KeyObject | null): X509Certificate[] => {
  const isIssuer = (one: X509Certificate): boolean =>
    certificates.some((other) => !isSame(one, other) && other.checkIssued(one))
  const own =
    (key === null ? undefined : certificates.find((each) => each.checkPrivateKey(key))) ??
    certificates.find((each) => !each.ca && !isIssuer(each)) ??
    certificates.find((each) => !isIssuer(each)) ??
    certificates[0]
  const ordered: X509Certificate[] = []
  for (let at = own; at !== undefined;) {
    const last: X509Certificate = at
    ordered.push(last)
    at = certificates.find((each) => !ordered.includes(each) && last.checkIssued(each))
  }
  return [...ordered, ...certificates.filter((each) => !ordered.includes(each))]
}

const otherKeyProblem = 'is not the private key of the certificate'

/** The certificates as they are stored and sent. @param key null: not known */
export const normalChain = (text: string, key: KeyObject | null): string | Unusable => {
  const certificates = readCertificates(text)
  return 'problem' in certificates ? certificates : orderChain(certificates, key).map(String).join('')
}

/**
 * What TLS needs of a certificate and its key, whatever their forms.
 * @returns the field that cannot be used, and why
 */
export const clientIdentity = (
  certificate: string,
  key: string,
): ClientIdentity | { field: 'certificate' | 'key'; problem: string } => {
  const certificates = readCertificates(certificate)
  if ('problem' in certificates) return { field: 'certificate', ...certificates }
  const read = readPrivateKey(key)
  if ('problem' in read) return { field: 'key', ...read }
  if (!certificates.some((each) => each.checkPrivateKey(read)))
    return { field: 'key', problem: otherKeyProblem }
  const ordered = orderChain(certificates, read)
  return {
    certificate: ordered.map(String).join(''),
    key: String(read.export({ format: 'pem', type: 'pkcs8' })),
  }
}

/** Why TLS refuses a certificate and its key that can be read, such as a short key; null: it does not. */
export const tlsProblem = ({ certificate, key }: ClientIdentity): string | null => {
  try {
    tls.createSecureContext({ cert: certificate, key })
    return null
  } catch (error) {
    // the message may quote the key
    return `is refused by TLS (${codeOf(error).replace('ERR_SSL_', '').toLowerCase()}); use another certificate`
  }
}

/** When the own certificate of a chain is valid, Unix ms; null: it cannot be read. */
export const validityOf = (certificate: string): { from: number; to: number } | null => {
  const certificates = readCertificates(certificate)
  const [own] = 'problem' in certificates ? [] : orderChain(certificates, null)
  return own === undefined ? null : { from: own.validFromDate.getTime(), to: own.validToDate.getTime() }
}
