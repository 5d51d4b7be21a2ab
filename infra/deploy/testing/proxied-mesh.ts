import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  createAgent,
  createControlPlane,
  createServers,
  journalDir,
  type Servers,
} from '../../testing/processes/compose.ts'
import { createCommandPart } from '../../testing/processes/command-part.ts'
import type { EntryPart } from '../../testing/processes/entry-part.ts'
import { freePorts } from '../../testing/processes/free-ports.ts'
import { createTestOwner, type TestOwner } from '../../testing/processes/account.ts'
import type { Part } from '../../testing/processes/part.ts'
import { findDebianProgram } from '../../testing/debian-program.ts'
import { placedConfig } from './haproxy-config.ts'

const deployed = fileURLToPath(new URL('../compose/haproxy/haproxy.cfg', import.meta.url))
const answerMsMax = 30_000
const region = 'fra'

type ProxyAnswer = { status: number; text: string; cookie: string }
export type SendToProxy = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<ProxyAnswer>

/** Two control planes with TLS behind Debian's haproxy with the deployed configuration. */
export type ProxiedMesh = Pick<Servers, 'postgres' | 'clickhouse' | 'nats'> & {
  readonly controlPlanes: readonly EntryPart[]
  readonly proxy: Part
  readonly owner: TestOwner
  /** Sends a request through the proxy on a new connection. @throws without an answer */
  readonly send: SendToProxy
  /** Sends a request to a control plane directly. */
  direct(at: number, path: string): Promise<ProxyAnswer>
  close(): Promise<void>
}

/** @param environment additional variables of each control plane */
export const startProxiedMesh = async (
  environment: Readonly<Record<string, string>>,
): Promise<ProxiedMesh> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxied-mesh-'))
  const closers: (() => Promise<void>)[] = []
  const keep = <P extends { close(): Promise<void> }>(part: P): P => {
    closers.push(() => part.close())
    return part
  }
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).toReversed()) await end()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  try {
    for (const path of [join(folder, 'logs'), journalDir(folder)]) await mkdir(path)
    const ports = await freePorts(14)
    const nextPort = (): number => ports.pop() ?? 0
    const { certificate, key, both } = await makeCertificate(folder)
    const authority = await readFile(certificate)
    const sendTo = sendOver(authority)

    const servers = await createServers(folder, [region], nextPort)
    await Promise.all([servers.postgres, servers.clickhouse, servers.nats].map((part) => keep(part).start()))
    const outside = nextPort()
    const controlPorts = [nextPort(), nextPort()]
    const controlPlanes = controlPorts.map((port, at) =>
      keep(
        createControlPlane(servers, {
          name: `control-plane-${at + 1}`,
          port,
          folder,
          publicUrl: `https://localhost:${outside}`,
          regions: [region],
          tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
          budgetScale: 10_000,
          environment: {
            TLS_CERT: certificate,
            TLS_KEY: key,
            NODE_EXTRA_CA_CERTS: certificate,
            TRUST_PROXY: 'loopback',
            CHANNEL_ALLOW: '127.0.0.0/8',
            ...environment,
          },
          isReady: async () => (await sendTo(port, 'GET', '/readyz')).status === 200,
        }),
      ),
    )
    const agents = [1, 2].map((n) =>
      keep(
        createAgent(servers, {
          name: `${region}-${n}`,
          port: nextPort(),
          folder,
          region,
          natsPort: servers.natsPort,
          environment: {},
        }),
      ),
    )
    await Promise.all([...controlPlanes, ...agents].map((part) => part.start()))

    const [first = 0, second = 0] = controlPorts
    const alive = nextPort()
    const config = placedConfig(await readFile(deployed, 'utf8'), {
      outside,
      inside: nextPort(),
      alive,
      // no gateway runs here
      servers: {
        'control-plane-1': first,
        'control-plane-2': second,
        'gateway-1': 9,
        'gateway-2': 9,
      },
      ownCertificate: both,
      authority: certificate,
    })
    const configFile = join(folder, 'haproxy.cfg')
    await writeFile(configFile, config)
    const program = await findDebianProgram('haproxy')
    const proxy = keep(
      createCommandPart({
        name: 'haproxy',
        command: [program, '-W', '-db', '-f', configFile],
        environment: { MCP_HOST: 'mcp.example.com' },
        logFile: join(folder, 'logs', 'haproxy'),
        isReady: async () => (await sendTo(outside, 'GET', '/readyz')).status === 200,
      }),
    )
    await proxy.start()
    return {
      ...servers,
      controlPlanes,
      proxy,
      owner: await createTestOwner(servers.postgres.url),
      send: (...args) => sendTo(outside, ...args),
      direct: (at, path) => sendTo(controlPorts[at] ?? 0, 'GET', path),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Creates a certificate for all parts, with the names that the proxy verifies, as its own authority. */
export const makeCertificate = async (
  folder: string,
  days = 2,
): Promise<{ certificate: string; key: string; both: string }> => {
  const [certificate, key, both] = ['ca.pem', 'server.key', 'both.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const names = ['control-plane-1', 'control-plane-2', 'localhost'].map((name) => `DNS:${name}`)
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', String(days)]
  const whose = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names.join(',')}`]
  const files = ['-keyout', key, '-out', certificate]
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...whose, ...files])
  await writeFile(both, (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')))
  return { certificate, key, both }
}

const sendOver =
  (ca: Buffer) =>
  (port: number, ...[method, path, options = {}]: Parameters<SendToProxy>): Promise<ProxyAnswer> =>
    new Promise((resolve, reject) => {
      const body = options.body === undefined ? null : JSON.stringify(options.body)
      const headers = {
        host: 'localhost',
        ...(body !== null && { 'content-type': 'application/json' }),
        ...options.headers,
      }
      const signal = AbortSignal.timeout(answerMsMax)
      const where = { host: '127.0.0.1', servername: 'localhost', port, path, method }
      const pending = request({ ...where, headers, ca, agent: false, signal }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            cookie: (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '',
          }),
        )
        answer.on('error', reject)
      })
      pending.on('error', reject)
      pending.end(body ?? undefined)
    })
