import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate of the table. Days from now; `by`: its issuer, itself by default; `as`: whose subject and key it has. */
type Made = { by?: string; as?: string; from?: number; to: number; ca?: boolean }

/** Authorities, intermediates and own certificates, of one world. */
const made = {
  root: { to: 3_650 },
  root2: { to: 3_650 },
  shortRoot: { to: 20 },
  oldRoot: { from: -900, to: -10 },
  stray: { to: 3_650 },
  strayOld: { from: -900, to: -10 },
  unknown: { to: 3_650 },
  /** `root` as other authorities signed it, as DST Root CA X3 and AddTrust did. */
  rootByOld: { as: 'root', by: 'oldRoot', from: -900, to: -10 },
  rootByOldLonger: { as: 'root', by: 'oldRoot', from: -900, to: 70 },
  rootByRoot2: { as: 'root', by: 'root2', to: 60 },
  rootAgain: { as: 'root', to: 30 },
  int: { by: 'root', to: 400 },
  intShort: { as: 'int', by: 'root', to: 12 },
  intOld: { as: 'int', by: 'root', from: -900, to: -5 },
  intLater: { as: 'int', by: 'root', from: 5, to: 900 },
  intByRoot2: { as: 'int', by: 'root2', to: 300 },
  intByOld: { as: 'int', by: 'oldRoot', from: -100, to: 100 },
  int2: { by: 'int', to: 200 },
  int2Short: { as: 'int2', by: 'int', to: 8 },
  int2ByRoot2: { as: 'int2', by: 'root2', to: 150 },
  strayInt: { by: 'stray', to: 3 },
  noAuthority: { by: 'int', to: 300, ca: false },
  leaf: { by: 'int', to: 90, ca: false },
  leafSoon: { by: 'int', to: 5, ca: false },
  leafOld: { by: 'int', from: -90, to: -2, ca: false },
  leafLater: { by: 'int', from: 3, to: 90, ca: false },
  leafLong: { by: 'int', to: 800, ca: false },
  leafOfRoot: { by: 'root', to: 90, ca: false },
  leafOfShortRoot: { by: 'shortRoot', to: 90, ca: false },
  leafOfOldRoot: { by: 'oldRoot', to: 90, ca: false },
  leafOfInt2: { by: 'int2', to: 90, ca: false },
  leafOfUnknown: { by: 'unknown', to: 90, ca: false },
  leafOfNone: { by: 'noAuthority', to: 90, ca: false },
  self: { to: 90, ca: false },
  selfOld: { from: -90, to: -2, ca: false },
} satisfies Record<string, Made>

type CertificateId = keyof typeof made

const ids = Object.keys(made) as CertificateId[]
const dayMs = 86_400_000

export type Chains = {
  pem(id: CertificateId): string
  key(id: CertificateId): string
  expiresAt(id: CertificateId): number
}

/** Creates the certificates of the table with openssl, in an empty folder. @param host of the own ones */
export const createChains = (folder: string, host: string, nowMs: number): Chains => {
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const path = (name: string): string => join(folder, name)
  const atDay = (day: number): number => Math.floor(nowMs / 1000) * 1000 + day * dayMs
  const timeText = (ms: number): string => `${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`
  writeFileSync(path('index.txt'), '')
  const extensions = 'subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid'
  writeFileSync(
    path('ca.cnf'),
    `[ca]
default_ca=d
[d]
database=index.txt
new_certs_dir=.
default_md=sha256
policy=p
rand_serial=yes
unique_subject=no
[p]
organizationName=optional
commonName=supplied
[authority]
basicConstraints=critical,CA:TRUE
keyUsage=keyCertSign,cRLSign
${extensions}
[own]
basicConstraints=CA:FALSE
subjectAltName=DNS:${host},IP:127.0.0.1
${extensions}
`,
  )
  for (const id of ids) {
    const { by = id, as = id, from = -1, to, ca = true }: Made = made[id]
    if (as === id) {
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
      const subject = ca || id === 'noAuthority' ? `/O=Test/CN=${id}` : `/CN=${host} ${id}`
      openssl('req', ...kind, '-subj', subject, '-keyout', `${id}.key`, '-out', `${id}.csr`)
    }
    // a second certificate of an authority's own key is self-signed too
    const issuer =
      by === id ? ['-selfsign', '-keyfile', `${as}.key`] : ['-cert', `${by}.pem`, '-keyfile', `${by}.key`]
    const dates = ['-startdate', timeText(atDay(from)), '-enddate', timeText(atDay(to))]
    const files = ['-in', `${as}.csr`, '-out', `${id}.pem`]
    const kind = ['-extensions', ca ? 'authority' : 'own']
    openssl('ca', '-config', 'ca.cnf', '-batch', '-notext', ...kind, ...dates, ...issuer, ...files)
  }
  return {
    pem: (id) => readFileSync(path(`${id}.pem`), 'utf8'),
    key: (id) => readFileSync(path(`${(made[id] as Made).as ?? id}.key`), 'utf8'),
    expiresAt: (id) => atDay(made[id].to),
  }
}

/**
 * What a server sends, which authorities a client has, which certificate decides when such a client stops to accept the
 * server, and why it does not accept it now.
 */
export type ChainCase = {
  title: string
  sent: readonly CertificateId[]
  known: readonly CertificateId[]
  ends: CertificateId
  /** Absent: it is accepted. */
  cause?: string
}

const of = (title: string, sent: string, known: string, ends: CertificateId, cause?: string): ChainCase => ({
  title,
  sent: sent.split(' ') as CertificateId[],
  known: known.split(' ') as CertificateId[],
  ends,
  ...(cause !== undefined && { cause }),
})
const expired = 'certificate_expired'
const later = 'certificate_not_yet_valid'
const untrusted = 'certificate_untrusted'
const selfSigned = 'certificate_self_signed'

/** Right values by RFC 5280 6.1 and what Go and OpenSSL do. */
export const chainCases: readonly ChainCase[] = [
  of('its own ends first', 'leaf int', 'root', 'leaf'),
  of('its own ends soon', 'leafSoon int', 'root', 'leafSoon'),
  of('its own ends soon, below a short intermediate', 'leafSoon intShort', 'root', 'leafSoon'),
  of('issued by the authority itself', 'leafOfRoot', 'root', 'leafOfRoot'),
  of('two intermediates', 'leafOfInt2 int2 int', 'root', 'leafOfInt2'),
  of('two intermediates in another order', 'leafOfInt2 int int2', 'root', 'leafOfInt2'),
  of('the authority is sent', 'leaf int root', 'root', 'leaf'),
  of('the authority is sent before the intermediate', 'leaf root int', 'root', 'leaf'),
  of('its own outlasts the intermediate', 'leafLong int', 'root', 'int'),
  of('its own outlasts a short intermediate', 'leaf intShort', 'root', 'intShort'),
  of('the second intermediate ends first', 'leafOfInt2 int2Short int', 'root', 'int2Short'),
  of('the first intermediate ends first', 'leafOfInt2 int2 intShort', 'root', 'intShort'),
  of('both are short', 'leafOfInt2 int2Short intShort', 'root', 'int2Short'),
  of('the authority ends first', 'leafOfShortRoot', 'shortRoot', 'shortRoot'),
  of('the authority ends first and is sent', 'leafOfShortRoot shortRoot', 'shortRoot', 'shortRoot'),
  of('the known authority is an older one of the same key', 'leaf int', 'rootAgain', 'rootAgain'),
  of('two authorities of the same key are known', 'leaf int', 'rootAgain root', 'leaf'),
  of('the short authority is sent, the long one known', 'leaf int rootAgain', 'root', 'leaf'),
  of('the long authority is sent, the short one known', 'leaf int root', 'rootAgain', 'rootAgain'),
  of('an expired cross-signature of the authority is sent', 'leaf int rootByOld', 'root', 'leaf'),
  of('and its expired authority', 'leaf int rootByOld oldRoot', 'root', 'leaf'),
  of('and its expired authority is known', 'leaf int rootByOld', 'root oldRoot', 'leaf'),
  of('a lasting cross-signature by an expired authority', 'leaf int rootByOldLonger', 'root oldRoot', 'leaf'),
  of('a short cross-signature beside the known authority', 'leafLong int rootByRoot2', 'root root2', 'int'),
  of('a cross-signature is the only way', 'leaf int rootByRoot2', 'root2', 'rootByRoot2'),
  of(
    'a cross-signature is the only way, authority sent',
    'leaf int rootByRoot2 root2',
    'root2',
    'rootByRoot2',
  ),
  of('a cross-signed intermediate', 'leaf intByRoot2', 'root2', 'leaf'),
  of('a cross-signed intermediate ends first', 'leafLong intByRoot2', 'root2', 'intByRoot2'),
  of('both intermediates, both authorities known', 'leafLong int intByRoot2', 'root root2', 'int'),
  of('both intermediates, the first authority known', 'leafLong int intByRoot2', 'root', 'int'),
  // OpenSSL follows one path only, Go and browsers all
  of('a second path is the only one', 'leafLong int intByRoot2', 'root2', 'intByRoot2', untrusted),
  of('a second path, sent first', 'leafLong intByRoot2 int', 'root2', 'intByRoot2'),
  of('both intermediates in another order', 'leafLong intByRoot2 int', 'root root2', 'int'),
  of('an unused second level', 'leafOfInt2 int2 int int2ByRoot2', 'root', 'leafOfInt2'),
  of('a second level by another authority', 'leafOfInt2 int2ByRoot2', 'root2', 'leafOfInt2'),
  of('a short and a long second level', 'leafOfInt2 int2Short int2 int', 'root', 'leafOfInt2'),
  of('the intermediate is sent short and long', 'leaf intShort int', 'root', 'leaf'),
  of('the intermediate is sent long and short', 'leaf int intShort', 'root', 'leaf'),
  of('the old intermediate is sent after the new one', 'leaf int intOld', 'root', 'leaf'),
  of('the old intermediate is sent before the new one', 'leaf intOld int', 'root', 'leaf'),
  of('the next intermediate is sent, which is not valid yet', 'leaf intShort intLater', 'root', 'intShort'),
  of('its own is sent twice', 'leaf leaf int', 'root', 'leaf'),
  of('the intermediate is sent twice', 'leaf int int', 'root', 'leaf'),
  of('all are sent twice', 'leafOfInt2 int2 int int2 int root root', 'root', 'leafOfInt2'),
  of('an unrelated authority is sent', 'leaf stray int', 'root', 'leaf'),
  of('an expired unrelated authority is sent', 'leaf int strayOld', 'root', 'leaf'),
  of('a short unrelated intermediate is sent', 'leaf int strayInt', 'root', 'leaf'),
  of('an unrelated chain is sent first', 'leaf strayInt stray int', 'root', 'leaf'),
  of('an expired own certificate is sent last', 'leaf int leafOld', 'root', 'leaf'),
  of('the intermediate is known and not sent', 'leaf', 'int root', 'leaf'),
  of('its own is self-signed and known', 'self', 'self', 'self'),
  of('its own has expired', 'leafOld int', 'root', 'leafOld', expired),
  of('its own and the intermediate have expired', 'leafOld intOld', 'root', 'intOld', expired),
  of('the intermediate has expired', 'leaf intOld', 'root', 'intOld', expired),
  of('the intermediate has expired, second level', 'leafOfInt2 int2 intOld', 'root', 'intOld', expired),
  of(
    'the only way leads over an expired cross-signature',
    'leaf int rootByOld',
    'oldRoot',
    'rootByOld',
    expired,
  ),
  of('the authority has expired', 'leafOfOldRoot', 'oldRoot', 'oldRoot', expired),
  of('the intermediate of an expired authority', 'leaf intByOld', 'oldRoot', 'oldRoot', expired),
  of('its own is not valid yet', 'leafLater int', 'root', 'leafLater', later),
  of('the intermediate is not valid yet', 'leaf intLater', 'root', 'leaf', later),
  of('the intermediate is missing', 'leaf', 'root', 'leaf', untrusted),
  of('the second intermediate is missing', 'leafOfInt2 int2', 'root', 'leafOfInt2', untrusted),
  of('the first intermediate is missing', 'leafOfInt2 int', 'root', 'leafOfInt2', untrusted),
  of('the authority is unknown', 'leafOfUnknown', 'root', 'leafOfUnknown', untrusted),
  of('the authority is unknown and sent', 'leafOfUnknown unknown', 'root', 'leafOfUnknown', selfSigned),
  of('it is self-signed', 'self', 'root', 'self', selfSigned),
  of('it is self-signed and has expired', 'selfOld', 'root', 'selfOld', expired),
  of('its issuer is no authority', 'leafOfNone noAuthority int', 'root', 'leafOfNone', 'certificate_invalid'),
]
