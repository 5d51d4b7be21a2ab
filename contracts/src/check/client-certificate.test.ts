import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { beforeAll, describe, expect, test } from 'vitest'
import { clientIdentity, tlsProblem, validityOf } from './client-certificate.ts'

const folder = testFolder('client-certificate-')
const at = (name: string): string => join(folder, name)
const files = (name: string): string => readFileSync(at(name), 'utf8')

/** A chain of three, and the forms that openssl, browsers and clouds write it in. */
beforeAll(() => {
  const openssl = (line: string): void =>
    void execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' })
  const ec = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  openssl(`req -x509 -days 30 ${ec} -subj /CN=root -keyout root.key -out root.pem`)
  openssl(`req -x509 -days 30 ${ec} -subj /CN=int -CA root.pem -CAkey root.key -keyout int.key -out int.pem`)
  openssl(
    `req -x509 -days 30 ${ec} -subj /CN=client -CA int.pem -CAkey int.key -addext basicConstraints=critical,CA:FALSE -keyout own.key -out own.pem`,
  )
  openssl(`req -x509 -days 30 -newkey rsa:2048 -nodes -subj /CN=rsa -keyout rsa.key -out rsa.pem`)
  openssl(`req -x509 -days 30 -newkey rsa:512 -nodes -subj /CN=weak -keyout weak.key -out weak.pem`)
  openssl('x509 -in own.pem -text -out own.text.pem')
  openssl('x509 -in own.pem -trustout -setalias probe -out own.trusted.pem')
  openssl('x509 -in own.pem -outform der -out own.der')
  openssl('crl2pkcs7 -nocrl -certfile int.pem -certfile own.pem -out chain.p7b')
  openssl('crl2pkcs7 -nocrl -certfile own.pem -certfile int.pem -outform der -out chain.p7b.der')
  openssl(
    'pkcs12 -export -in own.pem -inkey own.key -certfile int.pem -passout pass:x -name probe -out own.p12',
  )
  openssl('pkcs12 -in own.p12 -passin pass:x -nodes -out own.p12.pem')
  openssl('ec -in own.key -out own.sec1.key')
  openssl('ec -in own.key -aes256 -passout pass:x -out own.sec1.encrypted.key')
  openssl('pkey -in own.key -aes256 -passout pass:x -out own.encrypted.key')
  openssl('pkcs8 -topk8 -in own.key -passout pass:x -outform der -out own.encrypted.der')
  openssl('pkey -in own.key -pubout -out own.pub')
  openssl('pkey -in own.key -outform der -out own.key.der')
  openssl('ecparam -name prime256v1 -out params.pem')
  openssl('rsa -in rsa.key -traditional -out rsa.pkcs1.key')
  openssl('rsa -in rsa.key -traditional -aes128 -passout pass:x -out rsa.encrypted.key')
  openssl('req -new -key own.key -subj /CN=client -out own.csr')
})
const base64 = (name: string): string => readFileSync(at(name)).toString('base64')
const escaped = (pem: string): string => JSON.stringify(pem)
const indented = (pem: string): string => pem.replaceAll(/^/gm, '      ')
const own = (): string => files('own.pem')
const key = (): string => files('own.key')

/** The names of the chain as it would be sent, or why it is not. */
const read = (certificate: string, privateKey: string): string => {
  const identity = clientIdentity(certificate, privateKey)
  if ('problem' in identity) return `${identity.field} ${identity.problem}`
  const sent = identity.certificate.match(/-----BEGIN[^]*?-----END CERTIFICATE-----/g) ?? []
  return tlsProblem(identity) ?? sent.map((pem) => new X509Certificate(pem).subject).join(' ')
}

describe('a certificate is used in the form', () => {
  test.each<[form: string, certificate: () => string, chain?: string]>([
    ['PEM', own],
    ['PEM with the text of openssl x509', () => files('own.text.pem')],
    ['PEM with the Bag Attributes of openssl pkcs12', () => files('own.p12.pem'), 'CN=client CN=int'],
    ['a trusted certificate of OpenSSL', () => files('own.trusted.pem')],
    ['an older label', () => own().replaceAll('CERTIFICATE', 'X509 CERTIFICATE')],
    ['line ends of Windows', () => own().replaceAll('\n', '\r\n')],
    ['a byte order mark', () => `\uFEFF${own()}`],
    ['indentation', () => indented(own())],
    ['blanks at the ends of lines', () => own().replaceAll('\n', '  \t\n')],
    ['line breaks as \\n', () => own().replaceAll('\n', '\\n')],
    ['a string of JSON', () => escaped(own())],
    ['one line', () => own().replaceAll('\n', ' ')],
    ['one line without blanks', () => own().replaceAll('\n', '')],
    ['DER in base64', () => base64('own.der')],
    [
      'PEM in base64 lines only',
      () =>
        own()
          .replaceAll(/-----.*-----/g, '')
          .trim(),
    ],
    ['PKCS#7', () => files('chain.p7b'), 'CN=client CN=int'],
    ['PKCS#7 as DER in base64', () => base64('chain.p7b.der'), 'CN=client CN=int'],
    ['a chain', () => own() + files('int.pem') + files('root.pem'), 'CN=client CN=int CN=root'],
    ['a chain, root first', () => files('root.pem') + files('int.pem') + own(), 'CN=client CN=int CN=root'],
    ['a chain in no order', () => files('int.pem') + own() + files('root.pem'), 'CN=client CN=int CN=root'],
    ['the same twice', () => own() + own() + files('int.pem'), 'CN=client CN=int'],
    ['with an unrelated one', () => files('rsa.pem') + own(), 'CN=client CN=rsa'],
    ['with its private key', () => own() + key()],
    ['with its parameters', () => files('params.pem') + own()],
    ['with its request', () => files('own.csr') + own()],
  ])('%s', (_, certificate, chain = 'CN=client') => {
    expect(read(certificate(), key())).toBe(chain)
  })
})

describe('a private key is used in the form', () => {
  test.each<[form: string, key: () => string]>([
    ['PKCS#8', key],
    ['SEC 1', () => files('own.sec1.key')],
    ['SEC 1 with EC PARAMETERS', () => files('params.pem') + files('own.sec1.key')],
    ['with Bag Attributes and the certificate', () => files('own.p12.pem')],
    ['with the certificate', () => own() + key()],
    ['twice', () => key() + files('own.sec1.key')],
    ['line breaks as \\n', () => escaped(key())],
    ['one line', () => key().replaceAll('\n', ' ')],
    ['line ends of Windows and a byte order mark', () => `\uFEFF${key().replaceAll('\n', '\r\n')}`],
    ['indentation', () => indented(key())],
    ['DER in base64', () => base64('own.key.der')],
  ])('%s', (_, form) => {
    expect(read(own(), form())).toBe('CN=client')
  })

  test.each(['rsa.key', 'rsa.pkcs1.key'])('of RSA: %s', (name) => {
    expect(read(files('rsa.pem'), files(name))).toBe('CN=rsa')
  })
})

describe('refused with its reason is', () => {
  test.each<[what: string, certificate: () => string, key: () => string, reason: string]>([
    ['an encrypted key', own, () => files('own.encrypted.key'), 'key is encrypted; decrypt it'],
    [
      'an encrypted traditional key',
      own,
      () => files('own.sec1.encrypted.key'),
      'key is encrypted; decrypt it',
    ],
    ['an encrypted RSA key', own, () => files('rsa.encrypted.key'), 'key is encrypted; decrypt it'],
    ['an encrypted key as DER', own, () => base64('own.encrypted.der'), 'key is encrypted; decrypt it'],
    [
      'the key of another certificate',
      own,
      () => files('rsa.key'),
      'key is not the private key of the certificate',
    ],
    ['the key of its issuer', own, () => files('int.key'), 'key is not the private key of the certificate'],
    ['two keys', own, () => key() + files('rsa.key'), 'key has several private keys'],
    ['a certificate as key', own, own, 'key is a certificate; paste its private key'],
    ['a public key as key', own, () => files('own.pub'), 'key is a public key; paste the private key'],
    [
      'a request as key',
      own,
      () => files('own.csr'),
      'key is a certificate request (CSR); paste the private key',
    ],
    [
      'a key of OpenSSH',
      own,
      () => key().replaceAll('PRIVATE', 'OPENSSH PRIVATE'),
      'key is a key of OpenSSH',
    ],
    ['a key of PuTTY', own, () => 'PuTTY-User-Key-File-3: ecdsa', 'key is a key of PuTTY'],
    ['half a key', own, () => key().slice(0, 90), 'key has no line -----END PRIVATE KEY-----'],
    ['a spoiled key', own, () => key().replace(/^M/m, 'Q'), 'key cannot be read as a private key'],
    ['no text at all', own, () => 'x', 'key must be a private key in PEM'],
    ['a request', () => files('own.csr'), key, 'certificate is a certificate request (CSR)'],
    ['a public key', () => files('own.pub'), key, 'certificate is a public key'],
    [
      'a public key of OpenSSH',
      () => 'ecdsa-sha2-nistp256 AAAA',
      key,
      'certificate is a public key of OpenSSH',
    ],
    ['a key', key, key, 'certificate must be a certificate in PEM'],
    ['a key as DER', () => base64('own.key.der'), key, 'certificate is a private key; paste it as the key'],
    ['PKCS#12', () => base64('own.p12'), key, 'certificate is a PKCS#12 file (.p12, .pfx); convert it'],
    ['PKCS#12 as key', own, () => base64('own.p12'), 'key is a PKCS#12 file (.p12, .pfx); convert it'],
    [
      'half a certificate',
      () => own().slice(0, 300),
      key,
      'certificate has no line -----END CERTIFICATE-----',
    ],
    [
      'a spoiled certificate',
      () => own().replace(/^MI/m, 'QQ'),
      key,
      'certificate has a block "CERTIFICATE" that',
    ],
    ['another text', () => 'client.pem', key, 'certificate must be a certificate in PEM'],
    ['masses', () => own().repeat(200), key, 'certificate has more than 60000 characters'],
  ])('%s', (_, certificate, privateKey, reason) => {
    expect(read(certificate(), privateKey())).toContain(reason)
  })

  test('a key that is too short for TLS', () => {
    expect(read(files('weak.pem'), files('weak.key'))).toBe(
      'is refused by TLS (ee_key_too_small); use another certificate',
    )
  })
})

test('no reason has a part of a key, and the own certificate says when it is valid', () => {
  const spoiled = key().replace(/^M/m, 'Q')
  expect(read(own(), spoiled)).not.toContain(spoiled.split('\n')[1])
  const { validToDate } = new X509Certificate(own())
  expect(validityOf(files('root.pem') + own())?.to).toBe(validToDate.getTime())
})
