import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Certificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'

/**
 * Creates an intermediate authority and a leaf certificate of it. @param aia the URL of the issuer's
 * certificate in the leaf
 */
export const intermediate = (host: string, certificates: Certificates, aia: string | null) => {
  const folder = mkdtempSync(join(tmpdir(), 'probe-mesh-chain-'))
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const sign = (file: string, issuer: string, extensions: string): void => {
    writeFileSync(join(folder, `${file}.ext`), extensions)
    const by = ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
    openssl(
      'x509',
      '-req',
      '-in',
      `${file}.csr`,
      ...by,
      '-days',
      '10',
      '-extfile',
      `${file}.ext`,
      '-out',
      `${file}.pem`,
    )
  }
  try {
    writeFileSync(join(folder, 'root.pem'), certificates.ca)
    writeFileSync(join(folder, 'root.key'), certificates.caKey)
    openssl('req', ...key, '-subj', '/CN=test intermediate', '-keyout', 'middle.key', '-out', 'middle.csr')
    sign('middle', 'root', 'basicConstraints=critical,CA:TRUE')
    openssl('req', ...key, '-subj', `/CN=${host}`, '-keyout', 'leaf.key', '-out', 'leaf.csr')
    const where = aia === null ? '' : `\nauthorityInfoAccess=caIssuers;URI:${aia}`
    sign('leaf', 'middle', `subjectAltName=DNS:${host}${where}`)
    openssl('x509', '-in', 'middle.pem', '-outform', 'der', '-out', 'middle.der')
    return {
      key: read('leaf.key'),
      leaf: read('leaf.pem'),
      middle: read('middle.pem'),
      der: readFileSync(join(folder, 'middle.der')),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
