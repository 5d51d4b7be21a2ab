import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer as createTarget, type Server } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { createSecretSealer, regionKeyOfToken } from '@probe-mesh/contracts/agent/agent-seal'
import type { CreatedAgent } from '@probe-mesh/contracts/agent/agent'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { createMeshProcess, type MeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runService } from '../cli/testing/run-service.ts'
import { createSearch, linesOf } from '../errors/traces.ts'
import { connectClient2 } from '../mcp/clients.ts'
import { actAs, type Act } from '../web/system/client.ts'

/**
 * A real service with two private agents: one that a secret names, and one that a thief with an API key created. All
 * that the relay sends to each is recorded, and their disks are searched with their own tokens.
 */

const timeout = 180_000
const patience = { timeout: 60_000, interval: 200 }
const folder = testFolder('secret-readers-')
const value = `sk-live-${randomBytes(12).toString('hex')}`

type Office = CreatedAgent & { part: EntryPart; disk: string; received: () => Buffer; close: () => void }

let mesh: MeshProcess
let target: Server
/** The secrets that the target got. */
const got: string[] = []
let url: string
let act: Act
let byKey: ReturnType<typeof createApiClient>
let apiKey: string
let may: Office
let thief: Office
let secretId: string
let checkId: string

beforeAll(async () => {
  mkdirSync(join(folder, 'logs'))
  target = createTarget((request, response) => {
    const key = request.headers['x-api-key']
    if (typeof key === 'string') got.push(key)
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
  mesh = await createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: {
      REGIONS: 'fra',
      TARGET_ALLOW: '127.0.0.0/8',
      CANARIES: 'none',
      CHROMIUM: 'off',
      BUDGET_SCALE: '1000',
    },
  })
  await mesh.start()
  const credentials = await mesh.credentials()
  ;({ apiKey } = credentials)
  act = await actAs(new URL(mesh.apiUrl).origin, credentials)
  byKey = createApiClient({ apiUrl: mesh.apiUrl, apiKey })
  ;[may, thief] = await Promise.all([startAgent('office'), startAgent('thief')])
  const secret = { name: 'stripe', value, hosts: [new URL(url).origin], agents: [may.agent.id] }
  secretId = (await act('createSecret', { body: secret })).id
  const request = { headers: [{ name: 'X-Api-Key', value: '{{ secret.stripe }}' }] }
  const check = { type: 'http', name: 'orders', url, intervalSeconds: 10, regions: ['fra'], request }
  checkId = (await act('createTypedCheck', { body: check })).id
  // something is on the disk of the thief
  const plain = { name: 'plain', url, intervalSeconds: 10, regions: [thief.agent.region] }
  await act('createCheck', { body: plain })
}, timeout)
afterAll(async () => {
  for (const each of [may, thief]) {
    await each?.part.close()
    each?.close()
  }
  await mesh?.close()
  target?.close()
})

/** A private agent that its owner runs, behind a proxy that records what it receives. */
const startAgent = async (name: string): Promise<Office> => {
  const made = await byKey.call('createAgent', { body: { name } })
  if (!made.ok) throw new Error(made.problem.message)
  const { port: meshPort } = new URL(mesh.apiUrl)
  const parts: Buffer[] = []
  const proxy = createServer((socket) => {
    const upstream = connect(Number(meshPort), '127.0.0.1')
    upstream.on('data', (part) => parts.push(part))
    socket.pipe(upstream).pipe(socket)
    for (const each of [socket, upstream]) each.on('error', () => each.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const file = join(folder, `${name}.token`)
  await writeFile(file, made.value.token, { mode: 0o600 })
  const [port = 0] = await freePorts(1)
  const part = createEntryPart({
    name,
    entry: 'agent',
    port,
    folder,
    environment: {
      MESH_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      AGENT_CREDENTIALS: file,
      PRIVATE_TARGETS: '127.0.0.1',
      TARGET_ALLOW: '',
      CANARIES: 'none',
    },
  })
  await part.start()
  const disk = join(folder, name)
  return { ...made.value, part, disk, received: () => Buffer.concat(parts), close: () => proxy.close() }
}

/** All bytes of a folder. */
const bytesOn = async (disk: string): Promise<Buffer> => {
  const entries = await readdir(disk, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Buffer.concat(await Promise.all(files.map((each) => readFile(join(each.parentPath, each.name)))))
}

/** The values of secrets that the holder of a token opens in bytes. */
const openIn = (bytes: Buffer, { token, agent }: Office, checkIds: readonly string[]): string[] => {
  const { open } = createSecretSealer(regionKeyOfToken(token))
  const found = [...bytes.toString('latin1').matchAll(/\\?"sealed\\?":\\?"([^"\\]+)/g)]
  return found.flatMap(([, sealed = '']) =>
    checkIds.flatMap((id) => {
      try {
        return Object.values(open(sealed, { checkId: id, region: agent.region })).map((each) => each.value)
      } catch {
        return []
      }
    }),
  )
}
const checkIds = async (): Promise<string[]> => {
  const listed = await byKey.call('listChecks', {})
  if (!listed.ok || !('checks' in listed.value)) throw new Error('no checks')
  return listed.value.checks.map(({ id }: { id: string }) => id)
}
const openedOnDisk = async (who: Office) => openIn(await bytesOn(who.disk), who, await checkIds())
const openedOnWire = async (who: Office) => openIn(who.received(), who, await checkIds())

test(
  'an agent that a secret names sends it, and its token opens what is on its disk and what it receives',
  async () => {
    const params = { id: checkId }
    const moved = await byKey.call('updateCheckRegions', { params, body: { regions: [may.agent.region] } })
    expect(moved).toMatchObject({ ok: true })
    got.length = 0
    await vi.waitFor(() => expect(got).toContain(value), patience)
    await vi.waitFor(async () => expect(await openedOnDisk(may)).toContain(value), patience)
    expect(await openedOnWire(may)).toContain(value)
    const inClear = createSearch([value])
    expect(linesOf(await inClear.inFiles(may.disk))).toEqual([])
  },
  timeout,
)

test(
  'a thief with an API key gets nothing through REST, MCP and the command line, on no disk and no wire',
  async () => {
    const { region } = thief.agent
    const params = { id: checkId }
    const refusal = { ok: false, problem: { code: 'SV-1013', status: 403 } }
    const regions = [region]
    expect(await byKey.call('updateCheckRegions', { params, body: { regions } })).toMatchObject(refusal)
    expect(await byKey.call('replaceCheck', { params, body: { regions } })).toMatchObject(refusal)
    expect(await byKey.call('rotateAgent', { params: { id: may.agent.id } })).toMatchObject(refusal)
    const secrets = await fetch(`${mesh.apiUrl}/secrets`, { headers: { authorization: `Bearer ${apiKey}` } })
    expect(secrets.status).toBe(404)

    const { mcpUrl } = await mesh.credentials()
    const client = await connectClient2(mcpUrl, { authorization: `Bearer ${apiKey}` }, 'modern')
    const called = await client.call('update_check_regions', { checkId, regions })
    await client.close()
    expect(called).toMatchObject({ isError: true, text: expect.stringContaining('SV-1013') })

    const file = join(folder, 'checks.yaml')
    const same = `  - name: orders\n    url: ${url}\n    intervalSeconds: 10\n`
    await writeFile(file, `version: 1\nchecks:\n${same}    regions: [${region}]\n`)
    const script = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
    const applied = await runService(script, ['apply', '-f', file], {
      node: process.execPath,
      environment: { SERVICE_API_URL: mesh.apiUrl, SERVICE_API_KEY: apiKey },
    })
    expect(applied.exitCode).not.toBe(0)
    expect(applied.out + applied.err).toContain('does not name the agent thief')

    // and as a member, who may do most else
    await expect(act('editTypedCheck', { params, body: { regions } })).rejects.toThrow('SV-2001')
    const draft = { type: 'http', name: 'trial', url, intervalSeconds: 10, regions }
    const request = { headers: [{ name: 'X-Api-Key', value: '{{ secret.stripe }}' }] }
    await expect(act('tryCheck', { body: { ...draft, request } })).rejects.toThrow('SV-2001')
    await expect(act('createTypedCheck', { body: { ...draft, request } })).rejects.toThrow('SV-2001')

    await vi.waitFor(async () => expect((await bytesOn(thief.disk)).length).toBeGreaterThan(1_000), patience)
    // its own check came over this wire
    expect(thief.received().toString('latin1')).toContain('event: put')
    expect(await openedOnDisk(thief)).toEqual([])
    expect(await openedOnWire(thief)).toEqual([])
    const inClear = createSearch([value])
    expect(linesOf(await inClear.inFiles(thief.disk))).toEqual([])
    expect(linesOf(inClear.inBytes('the wire', thief.received()))).toEqual([])
  },
  timeout,
)

test(
  'an agent that is taken from a secret gets the check without it, which is unmeasured with the reason',
  async () => {
    const before = may.received().length
    await act('updateSecret', { params: { id: secretId }, body: { agents: [] } })
    await vi.waitFor(async () => {
      const listed = await byKey.call('listReadings', { params: { id: checkId }, query: { limit: 1 } })
      expect(listed).toMatchObject({
        ok: true,
        value: {
          readings: [
            {
              verdict: 'unmeasured',
              reason: expect.stringContaining('does not name this private agent'),
            },
          ],
        },
      })
    }, patience)
    const sent = got.length
    const run = await byKey.call('runCheck', { params: { id: checkId } })
    expect(run).toMatchObject({ ok: true, value: { readings: [{ verdict: 'unmeasured' }] } })
    expect(got).toHaveLength(sent)
    const since = may.received().subarray(before)
    expect(since.toString('latin1')).toContain('"sealed":"')
    expect(openIn(since, may, await checkIds())).toEqual([])
  },
  timeout,
)
