import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { sendByProbe } from '../testing/wire.ts'
import { readCurl } from './read-curl.ts'

/** The real curl and the real probe, which trust the same authority, ask one server over TLS. */

const run = promisify(execFile)
const certificates = useOnce(() => createCertificates())
const folder = mkdtempSync(join(tmpdir(), 'probe-mesh-curl-'))
const server = useOnce(async () => {
  const pair = certificates.leaf('shop.example.com')
  const key = new X509Certificate(pair.cert).publicKey.export({ type: 'spki', format: 'der' })
  const seen: { host: string | undefined; name: unknown }[] = []
  const listener = https.createServer(pair, ({ headers, socket }, response) => {
    seen.push({ host: headers.host, name: (socket as { servername?: unknown }).servername })
    response.end('ok')
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  writeFileSync(join(folder, 'ca.pem'), certificates.ca)
  return {
    pin: `sha256//${createHash('sha256').update(key).digest('base64')}`,
    port: portOf(listener),
    take: () => seen.splice(0),
    close: () => void listener.close(),
  }
})
afterAll(() => {
  certificates.remove()
  rmSync(folder, { recursive: true })
})

/** What the server saw; null: the certificate was not accepted. */
const seenBy = async (send: () => Promise<unknown>) => {
  const isSent = await send().then(
    () => true,
    () => false,
  )
  const seen = server.take()
  return isSent ? seen : null
}

const other = `sha256//${'A'.repeat(43)}=`

test.each([
  ['--resolve shop.example.com:PORT:127.0.0.1 https://shop.example.com:PORT/', true],
  ['--connect-to shop.example.com::127.0.0.1:PORT https://shop.example.com/', true],
  ["--connect-to ::127.0.0.1:PORT -H 'Host: www.example.com' https://shop.example.com/", true],
  ['--connect-to ::127.0.0.1:PORT --pinnedpubkey PIN https://shop.example.com/', true],
  ["--connect-to ::127.0.0.1:PORT --pinnedpubkey 'OTHER;PIN' https://shop.example.com/", true],
  ['--connect-to ::127.0.0.1:PORT --pinnedpubkey OTHER https://shop.example.com/', false],
  ['--connect-to ::127.0.0.1:PORT --pinnedpubkey PIN --pinnedpubkey OTHER https://shop.example.com/', false],
  ['--connect-to ::127.0.0.1:PORT https://www.example.com/', false],
  ["--connect-to ::127.0.0.1:PORT -H 'Host: shop.example.com' https://www.example.com/", false],
])('curl %s: the probe sends and accepts the same', async (template, isAccepted) => {
  const command = `curl ${template}`
    .replaceAll('PORT', String(server.port))
    .replaceAll('PIN', server.pin)
    .replaceAll('OTHER', other)
  const draft = readCurl(command, createSecretFinder([]))
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  const byCurl = await seenBy(() =>
    run('bash', [
      '-c',
      command.replace('curl', `curl -sS --noproxy '*' --http1.1 --cacert ${join(folder, 'ca.pem')}`),
    ]),
  )
  const trust = createTrust([certificates.ca])
  const byProbe = await seenBy(() => sendByProbe(draft.check, [], { trust }))
  expect(byProbe).toEqual(byCurl)
  expect(byCurl?.length ?? 0).toBe(isAccepted ? 1 : 0)
})
