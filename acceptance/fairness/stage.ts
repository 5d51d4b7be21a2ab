import { createServer, type Server, type ServerResponse, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { createMeshProcess, type MeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { createPerson, logIn, type Person } from './person.ts'
import { createVictim, type Victim } from './victim.ts'

/** A system in its own process, an account with normal use, and others with maximum use. */
export type Stage = {
  readonly origin: string
  readonly sql: Sql
  readonly mesh: MeshProcess
  readonly victim: Victim
  readonly owner: Pick<Person, 'email' | 'password' | 'from' | 'request' | 'requestOk'>
  /** Creates unrelated accounts, each in its own network. */
  attackers(count: number, tier: Tier): Promise<Person[]>
  /** Opens a site on an address of this machine until the stage closes. */
  site(address: string, answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string>
  close(): Promise<void>
}

export const regions = ['iad', 'sjc', 'fra', 'nrt'] as const

/** The number of catalog services: enough for a survey of a region, each with its own site. */
const servicesCount = 12

export const startStage = async (environment: Record<string, string> = {}): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'fairness-'))
  const closers: (() => Promise<void>)[] = [
    () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  ]
  const close = (): Promise<void> => closeAll(closers)
  const site: Stage['site'] = async (address, answer) => {
    const server = await listen(createServer(answer), address)
    closers.push(() => closeServer(server))
    return `http://${address}:${(server.address() as AddressInfo).port}`
  }
  try {
    const services = await Promise.all(
      Array.from({ length: servicesCount }, async (_, index) => {
        const url = await site(`127.0.30.${index + 1}`, (_request, response) => response.end('up'))
        const slug = `service-${index + 1}`
        return { slug, name: slug, category: 'work', probes: [{ url: `${url}/` }] }
      }),
    )
    const catalogFile = join(folder, 'catalog.yaml')
    await writeFile(catalogFile, JSON.stringify({ stacks: [], services }))
    const mesh = await createMeshProcess({
      dataDir: join(folder, 'data'),
      environment: {
        REGIONS: regions.join(','),
        TARGET_ALLOW: '127.0.0.0/8',
        CANARIES: 'none',
        CATALOG_FILE: catalogFile,
        CATALOG_INTERVAL_SECONDS: '2',
        TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
        LOG_LEVEL: process.env['MESH_LOG'] ?? 'error',
        ...environment,
      },
    })
    closers.push(() => mesh.close())
    await mesh.start()
    const origin = new URL(mesh.apiUrl).origin
    const { databaseUrl } = await mesh.stores()
    const sql = connectPostgres(databaseUrl, { connectionsMax: 2 })
    closers.push(() => sql.end())
    const { email, password } = await mesh.credentials()
    const owner = await logIn(origin, { email, password, from: '127.0.0.1' })
    const victim = await createVictim(owner, { origin, address: '127.0.10.1' })
    closers.push(() => victim.close())
    let networks = 0
    const attackers: Stage['attackers'] = async (count, tier) => {
      const people: Person[] = []
      for (let made = 0; made < count; made++) {
        networks += 1
        const from = `127.0.${40 + Math.floor(networks / 250)}.${(networks % 250) + 1}`
        people.push(await createPerson({ origin, sql }, { tier, from }))
      }
      return people
    }
    return { origin, sql, mesh, victim, owner, attackers, site, close }
  } catch (error) {
    await close()
    throw error
  }
}

const listen = (server: Server, address: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, address, () => resolve(server))
  })

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
