import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { emptyCatalogFile } from '@probe-mesh/infra/testing/empty-catalog'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { recordWay } from '@probe-mesh/infra/testing/ways-table'
import { expect, vi, type TestContext } from 'vitest'
import { packagesBelow, packagesInBill } from './bill-of.ts'
import { findInPath } from './find-in-path.ts'
import { readManifest } from './make-release.ts'
import { openNewcomer, type Newcomer } from './newcomer.ts'
import { granted } from '../../testing/granted.ts'

export const patience = { timeout: 120_000, interval: 100 }
const platform = `linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`

type Account = { apiUrl: string; apiKey: string }
export type Server = Account & { close(): Promise<void> }
type Typed = { way: string; commands: readonly string[]; fetched: number }

const isReadyAt = (port: number) => async (): Promise<boolean> => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) })
  await answer.arrayBuffer()
  return answer.ok
}

/** Waits until a check is operational. */
const isGreen = (account: Account, id: string): Promise<void> =>
  vi.waitFor(async () => {
    const { status } = await granted(createApiClient(account).call('getCheck', { params: { id } }))
    expect(status).toBe('operational')
  }, patience)

export const secondsSince = (began: number): number => (performance.now() - began) / 1_000

/** Adds the row of a way whose check is green now, with what is on the newcomer's disk. */
export const recordGreen = async (
  context: TestContext,
  own: Newcomer,
  row: Typed & { began: number; readySeconds: number },
): Promise<void> => {
  const { way, commands, began, readySeconds, fetched } = row
  const greenSeconds = secondsSince(began)
  const cache = await own.bytes('.npm/_cacache')
  const weight = { downloadedBytes: fetched + cache, unpackedBytes: (await own.bytes()) - cache }
  await recordFigure(context, await recordWay({ way, commands, readySeconds, greenSeconds, ...weight }))
}

/** What the ways of one release share: its files, a target that is always up, and people with empty homes. */
export type Ways = Awaited<ReturnType<typeof openWays>>

/** @param release the folder of a release */
export const openWays = async (release: string) => {
  const target: Target = await startTarget()
  const open: Newcomer[] = []
  // beside npm: Node 24 may be first in the PATH of a test
  const systemsNode = [dirname(await findInPath('npx')), '/usr/bin', '/bin']

  const newcomer = async (path: readonly string[] | null): Promise<Newcomer> => {
    const own = await openNewcomer(path)
    open.push(own)
    return own
  }

  /** Puts the file of a program into a home. */
  const fetchFile = async (own: Newcomer, name: string, kind: string) => {
    const { files } = await readManifest(release)
    const file = files.find(
      (one) =>
        one.kind === kind && one.file.startsWith(`${name}-`) && (one.platform ?? platform) === platform,
    )?.file
    if (file === undefined) throw new Error(`the release has no ${kind} of ${name}`)
    return { file, fetched: await own.fetch(join(release, file)) }
  }

  /** Types a command that starts a server, and creates a check there, both timed. */
  const firstServer = async (
    own: Newcomer,
    { data, ...typed }: Typed & { data: string },
    context: TestContext,
  ): Promise<Server> => {
    const began = performance.now()
    const [port = 0] = await freePorts(1)
    const part = await own.start(typed.commands, {
      environment: {
        PORT: String(port),
        MCP_PORT: '0',
        CANARIES: 'none',
        TARGET_ALLOW: '127.0.0.1',
        // without an internet its look-ups keep the resolver of the machine from others
        CATALOG_FILE: emptyCatalogFile,
      },
      isReady: isReadyAt(port),
    })
    const readySeconds = secondsSince(began)
    const text = await readFile(join(own.home, data, 'credentials.json'), 'utf8')
    const { apiUrl, apiKey } = JSON.parse(text) as Account
    const create = `curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name":"My site","url":"${target.url('/')}"}' ${apiUrl}/checks`
    const { out } = await own.type(create, { KEY: apiKey })
    await isGreen({ apiUrl, apiKey }, (JSON.parse(out) as { id: string }).id)
    const commands = [...typed.commands, create]
    await recordGreen(context, own, { ...typed, commands, began, readySeconds })
    return { apiUrl, apiKey, close: async () => void (await part.stop()) }
  }

  /** Enrols an agent, starts it by commands of its machine, and gives it a check. */
  const joins = async (server: Server, own: Newcomer, typed: Typed, context: TestContext): Promise<void> => {
    const began = performance.now()
    const client = createApiClient(server)
    const name = typed.way.replaceAll(/\W+/g, '-')
    const { agent, token, meshUrl } = await granted(client.call('createAgent', { body: { name } }))
    await own.write('office.token', `${token}\n`)
    const [port = 0] = await freePorts(1)
    await own.start(typed.commands, {
      environment: {
        MESH_URL: meshUrl,
        AGENT_CREDENTIALS: 'office.token',
        PRIVATE_TARGETS: '127.0.0.1',
        CANARIES: 'none',
        PORT: String(port),
      },
      isReady: isReadyAt(port),
    })
    const readySeconds = secondsSince(began)
    const url = target.url('/inside')
    const body = { name, url, regions: [agent.region], intervalSeconds: 10 }
    const { id } = await granted(client.call('createCheck', { body }))
    await isGreen(server, id)
    await recordGreen(context, own, { ...typed, began, readySeconds })
  }

  /** What npx installed is what the bill of materials says. */
  const expectInBill = async (own: Newcomer, file: string): Promise<void> => {
    const cache = join(own.home, '.npm/_npx')
    const [folder = ''] = await readdir(cache)
    const installed = await packagesBelow(join(cache, folder))
    const listed = await packagesInBill(release, file)
    // the package itself, and Node 24, which the launcher fetches for an old Node
    const name = file.replace(/-\d.*$/, '')
    const others = installed.filter((one) => !one.startsWith(`${name}@`) && !ofNode.test(one))
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter((one) => !listed.has(one))).toEqual([])
  }

  return {
    target,
    systemsNode,
    newcomer,
    fetchFile,
    firstServer,
    joins,
    expectInBill,
    close: async () => {
      await Promise.all(open.map((one) => one.close()))
      await target.close()
    },
  }
}

const ofNode = /^node(-bin-setup|-linux-\w+)?@/
