import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test, vi, type TestContext } from 'vitest'
import {
  openWays,
  patience,
  recordGreen,
  secondsSince,
  type Server,
  type Ways,
} from './testing/first-green.ts'
import { root } from './testing/make-release.ts'

const slow = { timeout: 900_000 }

/** The ways from an empty home to a first green check. @param release the folder of a release */
export const waysRules = (release: () => string): void => {
  let ways: Ways
  let server: Server

  beforeAll(async () => {
    ways = await openWays(release())
  })
  afterAll(() => ways?.close())

  const serverByNpx = async (path: readonly string[], context: TestContext): Promise<Server> => {
    const own = await ways.newcomer(path)
    const { file, fetched } = await ways.fetchFile(own, 'probe-mesh-server', 'npm-package')
    const version = (await own.type('node --version')).out.trim()
    const way = `server, npx on Node ${version}`
    const typed = { way, commands: [`npx --yes file:./${file}`], data: '.data', fetched }
    const started = await ways.firstServer(own, typed, context)
    await ways.expectInBill(own, file)
    return started
  }

  test('npx starts the packed server from an empty home, with Node 24', slow, async (context) => {
    server = await serverByNpx([dirname(process.execPath), ...ways.systemsNode], context)
  })

  test('the single file of the command line creates a check and sees it green, without Node', async (context) => {
    const own = await ways.newcomer(null)
    const began = performance.now()
    const { file, fetched } = await ways.fetchFile(own, 'service', 'single-file')
    const environment = { SERVICE_API_URL: server.apiUrl, SERVICE_API_KEY: server.apiKey }
    const service = `./${file.replace('.tar.gz', '')}/service`
    const url = ways.target.url('/by-file')
    await own.write('checks.yaml', `version: 1\nchecks:\n  - name: by-file\n    url: ${url}\n`)
    const commands = [`tar -xzf ${file}`, `${service} apply -f checks.yaml`, `${service} status by-file`]
    const [unpack = '', apply = '', status = ''] = commands
    expect(await own.type('command -v node')).toMatchObject({ exitCode: 127 })
    expect(await own.type(unpack)).toMatchObject({ exitCode: 0, err: '' })
    const readySeconds = secondsSince(began)
    expect(await own.type(apply, environment)).toMatchObject({ exitCode: 0 })
    await vi.waitFor(async () => {
      expect((await own.type(status, environment)).out).toContain('operational')
    }, patience)
    await recordGreen(context, own, {
      way: 'command line, single file',
      commands,
      fetched,
      began,
      readySeconds,
    })
  })

  test('the single file of an agent joins a mesh as a private agent, without Node', async (context) => {
    const own = await ways.newcomer(null)
    const { file, fetched } = await ways.fetchFile(own, 'probe-mesh-agent', 'single-file')
    const commands = [`tar -xzf ${file}`, `./${file.replace('.tar.gz', '')}/probe-mesh-agent`]
    expect(await own.type('command -v node')).toMatchObject({ exitCode: 127 })
    await ways.joins(server, own, { way: 'agent, single file', commands, fetched }, context)
  })

  test("npx of the packed agent joins a mesh, on the system's Node", slow, async (context) => {
    const own = await ways.newcomer(ways.systemsNode)
    const { file, fetched } = await ways.fetchFile(own, 'probe-mesh-agent', 'npm-package')
    const way = `agent, npx on Node ${(await own.type('node --version')).out.trim()}`
    await ways.joins(server, own, { way, commands: [`npx --yes file:./${file}`], fetched }, context)
    await ways.expectInBill(own, file)
  })

  test("npx starts the packed server on the system's Node", slow, async (context) => {
    await (await serverByNpx(ways.systemsNode, context)).close()
  })

  test('a clone starts by npm start', slow, async (context) => {
    const own = await ways.newcomer(ways.systemsNode)
    const commands = [`git clone --quiet file://${root} probe-mesh`, 'cd probe-mesh', 'npm start']
    const typed = { way: 'server, clone', commands, data: 'probe-mesh/.data', fetched: 0 }
    await (await ways.firstServer(own, typed, context)).close()
  })
}
