import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type KeyPair = { key: string; cert: string }

/** A private authority and its leaf certificates, created by openssl for each run. */
export type Certificates = {
  ca: string
  /** The authority's key, for tests that create their own certificates. */
  caKey: string
  /** @param alternatives in openssl's format; empty: none */
  leaf(name: string, validity?: { from: string; to: string } | null, alternatives?: string): KeyPair
  selfSigned(name: string): KeyPair
  remove(): void
}

export const createCertificates = (): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), 'probe-mesh-certificates-'))
  const openssl = (...args: string[]): void => {
    try {
      execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
    } catch (cause) {
      throw new Error('making certificates failed; is the openssl command installed?', { cause })
    }
  }
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const root = ['req', '-x509', '-days', '30', ...key, '-addext', 'basicConstraints=critical,CA:TRUE']
  openssl(...root, '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.pem')
  writeFileSync(join(folder, 'index.txt'), '')
  let serial = 1
  return {
    ca: read('ca.pem'),
    caKey: read('ca.key'),
    leaf: (name, validity, alternatives) => {
      const file = `leaf${serial}`
      serial += 1
      const own = /^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`
      const san = alternatives ?? own
      openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${file}.key`, '-out', `${file}.csr`)
      writeFileSync(
        join(folder, 'ca.cnf'),
        [
          '[ca]',
          'default_ca=d',
          '[d]',
          'database=index.txt',
          'new_certs_dir=.',
          'default_md=sha256',
          'policy=p',
          'rand_serial=yes',
          'unique_subject=no',
          'x509_extensions=e',
          '[p]',
          'commonName=supplied',
          '[e]',
          san === '' ? 'basicConstraints=CA:FALSE' : `subjectAltName=${san}`,
        ].join('\n'),
      )
      const days = validity ? ['-startdate', validity.from, '-enddate', validity.to] : ['-days', '10']
      const signing = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-batch']
      openssl('ca', ...signing, '-notext', ...days, '-in', `${file}.csr`, '-out', `${file}.pem`)
      return { key: read(`${file}.key`), cert: read(`${file}.pem`) }
    },
    selfSigned: (name) => {
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
      openssl('req', '-x509', '-days', '10', ...key, ...subject, '-keyout', 's.key', '-out', 's.pem')
      return { key: read('s.key'), cert: read('s.pem') }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
