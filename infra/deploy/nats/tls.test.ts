import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestNats, type TestNats } from '../../testing/nats.ts'
import { freePorts } from '../../testing/processes/free-ports.ts'
import { runAgentAct } from './run-agent-act.ts'
import { runNatsConfig } from './run.ts'

/** TLS from an agent over its region's leaf node to the mesh, with certificates of one authority. */
const patience = { timeout: 30_000, interval: 50 }
const trusted = getCACertificates('default')
const quiet = { out: () => {}, error: () => {} }

const folder = testFolder('probe-mesh-tls-')
let hub: TestNats
let leaf: TestNats
const opened: Bus[] = []

const path = (name: string): string => join(folder, name)
const configure = async (...args: string[]) =>
  expect(await runNatsConfig([...args, '--out', folder], quiet)).toBe(0)
/** The URL with the name in the certificate. */
const tlsOptions = ({ url }: TestNats): string => `tls://localhost:${new URL(url).port}`
const trust = async (own: boolean) =>
  setDefaultCACertificates([...trusted, ...(own ? [await readFile(path('cert.pem'), 'utf8')] : [])])

beforeAll(async () => {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const whose = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', path('key.pem'), '-out', path('cert.pem')]
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...whose, ...files])
  const [leafPort = 0] = await freePorts(1)
  const tls = ['--tls-cert', path('cert.pem'), '--tls-key', path('key.pem'), '--tls-ca', path('cert.pem')]
  await configure('--regions', 'fra', '--leaf-listen', `127.0.0.1:${leafPort}`, ...tls)
  hub = await startTestNats({ configurationFile: path('nats-server.conf') })
  await configure('--leaf', 'fra', '--hub', `localhost:${leafPort}`, ...tls)
  leaf = await startTestNats({
    configurationFile: path('leaf-fra/nats-server.conf'),
    flags: ['--name', 'leaf'],
  })
  const enrolment = ['enroll', '--region', 'fra', '--out', path('agent.creds'), '--keys', folder]
  expect(await runAgentAct(enrolment, {}, quiet)).toBe(0)
})
afterAll(async () => {
  for (const bus of opened) await bus.close()
  await leaf?.close()
  await hub?.close()
})

const connect = async (server: string, who: 'agent' | 'control-plane'): Promise<Bus> => {
  const { authenticator } = await readNatsCredentials(path(`${who}.creds`))
  const login = who === 'agent' ? agentConnection('fra') : controlPlaneConnection
  const topology = who === 'agent' ? {} : { topology: { regions: ['fra'] } }
  const bus = await openNatsBus({
    servers: [server],
    name: who,
    ...login,
    ...topology,
    authenticator,
  })
  opened.push(bus)
  return bus
}
const unavailable = { name: 'BusUnavailable' }

test('delivers a reading from an agent over the leaf node to the mesh', async () => {
  await trust(true)
  const control = await connect(tlsOptions(hub), 'control-plane')
  const agent = await connect(tlsOptions(leaf), 'agent')
  const message = { partition: 1, region: 'fra', messageId: 'm', data: Buffer.from('reading') }
  const { sequence } = await vi.waitFor(() => agent.readings.publish(message), patience)
  expect(await control.readings.replay(1, sequence, sequence)).toMatchObject([{ sequence }])
})

test('sends nothing to a server with an untrusted certificate or another name', async () => {
  await trust(false)
  await expect(connect(tlsOptions(leaf), 'agent')).rejects.toMatchObject(unavailable)
  await trust(true)
  const byAnotherName = tlsOptions(leaf).replace('localhost', '127.0.0.2')
  await expect(connect(byAnotherName, 'agent')).rejects.toMatchObject(unavailable)
})

test('sends nothing over tls:// to a server without TLS', async () => {
  await trust(true)
  const open = await startTestNats()
  try {
    await expect(openNatsBus({ servers: [tlsOptions(open)], name: 'x' })).rejects.toMatchObject({
      message: expect.stringMatching(/does not support 'tls'/),
    })
  } finally {
    await open.close()
  }
})
