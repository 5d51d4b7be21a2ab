import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { unpackMissing } from '@probe-mesh/infra/testing/debian-packages'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cases, named, other, type Report, type Stage } from './cases.ts'

/**
 * Debian's dovecot, slapd, prosody, postgres, postfix and nginx with TLS, STARTTLS and SNI, as tcp and smtp checks,
 * and openssl at the same places. Needs root for namespaces of mounts and of the network; installs nothing.
 */

const script = fileURLToPath(new URL('testing/inside.ts', import.meta.url))
const packages = ['dovecot-imapd', 'dovecot-pop3d', 'slapd', 'prosody', 'postgresql', 'postfix', 'nginx']
const folder = testFolder('tls-servers-')
let report: Report

const zulu = (ms: number): string => `${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`

beforeAll(async () => {
  const [root, lists] = [join(folder, 'root'), join(folder, 'lists')]
  await mkdir(root)
  await mkdir(lists)
  await chmod(folder, 0o755)
  await unpackMissing(packages, lists, root)
  const versions = (tree: string): Promise<string[]> =>
    readdir(join(tree, 'usr/lib/postgresql')).catch((): string[] => [])
  const [version = ''] = [...(await versions('/')), ...(await versions(root))]

  const certificates = createCertificates()
  const dayMs = 86_400_000
  const files: Record<string, string> = { 'ca.pem': certificates.ca }
  // each server has an end of its own, so that no other certificate can be mistaken for it
  for (const [index, name] of ['imap', 'ldap', 'xmpp', 'pg', 'smtp', 'web', 'other', 'expired'].entries()) {
    const end = name === 'expired' ? -dayMs : (index + 2) * dayMs
    const validity = { from: zulu(Date.now() - 10 * dayMs), to: zulu(Date.now() + end) }
    const pair = certificates.leaf(name === 'other' ? other : named, validity)
    files[`${name}.pem`] = pair.cert
    files[`${name}.key`] = pair.key
  }
  certificates.remove()
  const stage: Stage = { folder, root, postgres: `/usr/lib/postgresql/${version}/bin` }
  files['stage.json'] = JSON.stringify(stage)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 })
  await promisify(execFile)('chown', ['65534', join(folder, 'pg.key'), join(folder, 'pg.pem')])
  const args = [
    '--mount',
    '--net',
    '--pid',
    '--fork',
    '--kill-child',
    process.execPath,
    script,
    join(folder, 'stage.json'),
  ]
  const { stdout } = await promisify(execFile)('unshare', args, {
    timeout: 240_000,
    maxBuffer: 16 * 1024 * 1024,
  })
  report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}, 600_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(cases)('$name: $expected', ({ name, expected }) => {
  const found = report.cases[name]
  expect(found?.result).toBe(expected)
  if (expected === 'up ok') expect(found?.reason).toBeNull()
})

test.each(cases.filter((each) => !('smtp' in each && each.smtp.security === undefined)))(
  '$name: the end of the certificate is what openssl s_client shows',
  ({ name, expected }) => {
    const found = report.cases[name]
    // openssl accepts a version of TLS that is not secure
    if (expected === 'down tls_version') return
    expect(found?.expiresAt).toBe(found?.opensslExpiresAt)
    if (expected === 'up ok') expect(found?.expiresAt).not.toBeNull()
  },
)

test('each check agrees with openssl about the certificate', async (context) => {
  const all = Object.values(report.cases)
  const seen = all.filter(({ expiresAt }) => expiresAt !== null)
  const off = seen.filter(({ expiresAt, opensslExpiresAt }) => expiresAt !== opensslExpiresAt)
  const text = `${all.length} checks of real servers (${report.versions}): ${seen.length} with a certificate, ${off.length} where its end differs from openssl s_client`
  await recordFigure(context, text)
  expect(off).toEqual([])
})
