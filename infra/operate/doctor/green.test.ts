import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeCertificate } from '../../deploy/testing/proxied-mesh.ts'
import { placeProxy, proxyKinds } from '../../deploy/testing/place-proxy.ts'
import { createTestAccount } from '../../testing/processes/account.ts'
import { createCommandPart } from '../../testing/processes/command-part.ts'
import { startTarget, type Target } from '../../testing/target.ts'
import type { Finding } from './findings/finding.ts'
import { startFaultyMesh, type FaultyMesh } from './testing/faulty-mesh.ts'

/** A doctor that is never green is not put on a timer: ten runs of each healthy mesh find nothing. */
const runs = 10
const timeout = 400_000
const patience = { timeout: 90_000, interval: 500 }

let mesh: FaultyMesh
let target: Target
beforeAll(async () => {
  ;[mesh, target] = await Promise.all([startFaultyMesh(), startTarget()])
  await vi.waitFor(async () => expect(notOk(await mesh.doctor())).toEqual([]), patience)
}, 300_000)
afterAll(async () => {
  await mesh?.close()
  await target?.close()
})

const notOk = (findings: readonly Finding[]): Finding[] => findings.filter(({ level }) => level !== 'ok')

/** Uses a core until its parent ends, however that ends. */
const burner = `process.stdin.on('end', () => process.exit()).resume()
const burn = () => { for (const end = Date.now() + 50; Date.now() < end; ); setImmediate(burn) }
burn()`

const isGreen = async (doctor: () => Promise<Finding[]>): Promise<void> => {
  for (let run = 1; run <= runs; run++) {
    const findings = await doctor()
    expect(findings.length).toBeGreaterThan(20)
    expect([run, notOk(findings)]).toEqual([run, []])
  }
}

test('finds nothing in an idle mesh', { timeout }, () => isGreen(mesh.doctor))

test('finds nothing in a mesh that measures', { timeout }, async () => {
  const apiKey = await createTestAccount(mesh.postgres.url)
  const client = createApiClient({ apiUrl: `${mesh.sound['PUBLIC_URL']}/v1`, apiKey })
  for (let n = 0; n < 20; n++) {
    const body = { name: `site ${n}`, url: target.url(`/${n}`), intervalSeconds: 10, regions: ['fra', 'nrt'] }
    const created = await client.call('createCheck', { body })
    if (!created.ok) throw new Error(created.problem.message)
  }
  await vi.waitFor(() => expect(target.hits('/19')).toBeGreaterThan(1), patience)
  await isGreen(mesh.doctor)
})

test('calls no server dead while the machine has no time', { timeout }, async () => {
  const burners: ChildProcess[] = []
  onTestFinished(() => {
    for (const burner of burners) burner.kill('SIGKILL')
  })
  for (let n = 0; n < 4 * availableParallelism(); n++) {
    burners.push(spawn(process.execPath, ['--eval', burner], { stdio: ['pipe', 'ignore', 'ignore'] }))
  }
  await isGreen(() => mesh.doctorWith({}))
})

test.each(proxyKinds)(
  'finds nothing behind %s with the documented configuration',
  { timeout },
  async (kind) => {
    const folder = join(mesh.folder, kind)
    await mkdir(folder)
    const { certificate, both } = await makeCertificate(folder, 90)
    const [httpPort, httpsPort] = [mesh.freePort(), mesh.freePort()]
    const proxy = createCommandPart({
      name: kind,
      command: await placeProxy(kind, {
        folder,
        httpPort,
        httpsPort,
        controlPlanes: [portOf(mesh.controlPlane(0)), portOf(mesh.controlPlane(1))],
        gateway: Number(new URL(mesh.sound['MCP_URL'] ?? '').port),
        certificate: both,
      }),
      environment: { HOME: folder },
      logFile: join(mesh.folder, 'logs', kind),
      // the first redirects to https
      isReady: async () => (await fetch(`http://127.0.0.1:${httpPort}/`, { redirect: 'manual' })).status > 0,
    })
    onTestFinished(() => proxy.close())
    await proxy.start()
    const environment = { PUBLIC_URL: `https://localhost:${httpsPort}`, NODE_EXTRA_CA_CERTS: certificate }
    await vi.waitFor(async () => expect(notOk(await mesh.doctorWith(environment))).toEqual([]), patience)
    await isGreen(() => mesh.doctorWith(environment))
  },
)

const portOf = ({ url }: { url: string }): number => Number(new URL(url).port)
