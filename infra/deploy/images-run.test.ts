import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyCatalogFile } from '../testing/empty-catalog.ts'
import { recordFigure } from '../testing/figure.ts'
import { createCommandPart } from '../testing/processes/command-part.ts'
import { createServers, type Servers } from '../testing/processes/compose.ts'
import { freePorts } from '../testing/processes/free-ports.ts'
import type { Part } from '../testing/processes/part.ts'
import { makeImages } from '../release/images/artefacts.ts'
import { images as all, type ImageName } from '../release/images/images.ts'
import { createImages, type Images } from './testing/buildah.ts'
import { whyNoMachine } from './testing/machine.ts'

/**
 * Makes the images of a release, loads them with Debian's buildah and starts their programs like containers: with a
 * read-only root, as user 10001, with only secrets and certificates mounted.
 */

const run = promisify(execFile)
const init = fileURLToPath(new URL('testing/image-init.sh', import.meta.url))
const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const owner = 10_001
const release = {
  root: checkout,
  version: '1.0.0-rc.1',
  providerVersion: '0.1.0',
  commit: null,
  time: new Date('2026-11-30T12:00:00Z'),
}
/** Uncompressed. A browser has the size that it has. */
const megabytesMax: Readonly<Record<ImageName, number>> = {
  agent: 200,
  'mcp-gateway': 200,
  'control-plane': 250,
  'agent-browser': 1_000,
}
const names = Object.keys(all) as ImageName[]
const reason = await whyNoMachine()
if (reason !== null) console.info(`the images are not built: ${reason}`)

let images: Images
const folder = testFolder('started-images-')
let servers: Servers
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  if (reason !== null) return
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  await mkdir(join(folder, 'logs'))
  images = await createImages()
  closers.push(() => images.close())
}, 1_200_000)
afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
}, 120_000)

/** Writes a file that only the user of the containers can read. */
const placeFile = async (path: string, content: string | { copy: string }): Promise<void> => {
  const place = join(folder, path)
  await mkdir(dirname(place), { recursive: true })
  if (typeof content === 'string') await writeFile(place, content)
  else await copyFile(content.copy, place)
  await chmod(place, 0o400)
  await chown(place, owner, owner)
}

const placeFiles = async (): Promise<void> => {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  await run('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', certificate])
  await placeFile('tls/server.key', { copy: key })
  for (const name of ['server.pem', 'ca.pem']) await placeFile(`tls/${name}`, { copy: certificate })
  await placeFile('secrets/database-url', servers.postgres.url)
  await placeFile('secrets/clickhouse-url', servers.clickhouse.url)
  for (const name of ['secrets-key', 'gateway-key', 'metrics-token']) {
    await placeFile(`secrets/${name}`, `${name}-of-the-tests-with-32-characters-or-more\n`)
  }
  await placeFile('secrets/control-plane.creds', { copy: servers.controlPlaneFile })
  await placeFile('secrets/agent.creds', { copy: servers.agentFile('fra') })
  await placeFile('secrets/catalog.yaml', { copy: emptyCatalogFile })
  await mkdir(join(folder, 'spool'))
  await chown(join(folder, 'spool'), owner, owner)
}

type Started = { part: Part; inside(...command: string[]): Promise<string> }

/** Starts a container without Docker, with the image's configuration and the deployment's files. */
const start = async (
  target: ImageName,
  environment: Readonly<Record<string, string>>,
  isReady: () => Promise<boolean>,
): Promise<Started & { healthcheck: string[] }> => {
  const { root, config, healthcheck } = await images.open(target)
  expect([target, config.User]).toEqual([target, '10001:10001'])
  const ofImage = Object.fromEntries(
    config.Env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  const env = { ...ofImage, ...environment }
  const mounts = [
    `${join(folder, 'secrets')}:/run/secrets`,
    `${join(folder, 'tls')}:/run/tls`,
    'tmpfs:/tmp',
    ...(target.startsWith('agent') ? [`${join(folder, 'spool')}:/var/lib/probe-mesh:rw`] : []),
  ]
  const through = [...images.through, 'unshare', '--mount', 'sh', init, root, ...mounts, '--']
  const part = createCommandPart({
    name: target,
    command: [...through, ...config.Entrypoint],
    environment: env,
    logFile: join(folder, 'logs', target),
    isReady,
  })
  closers.push(() => part.close())
  await part.start()
  const inside = async (...command: string[]): Promise<string> => {
    const [program = '', ...args] = [...through, ...command]
    return (await run(program, args, { env })).stdout
  }
  return { part, inside, healthcheck }
}

const answers = (port: number, isTls: boolean) => async (): Promise<boolean> => {
  if (!isTls) return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  const ca = await readFile(join(folder, 'certificate'))
  return new Promise((resolve, reject) => {
    const where = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path: '/readyz',
      ca,
      agent: false,
    }
    request({ ...where, headers: { host: 'localhost' } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200))
    })
      .once('error', reject)
      .end()
  })
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)
const writes = (path: string): string[] => ['node', '-e', `require('fs').writeFileSync('${path}', '')`]

test.skipIf(reason !== null)(
  'makes every image within its size, the same twice, and starts its program',
  { timeout: 2_400_000 },
  async (context) => {
    const made: string[] = []
    const out = join(folder, 'made')
    for (const { file } of await makeImages({ ...release, out }, { on: ['linux-x64'] })) {
      const name = names.find((one) => file === `probe-mesh-${one}-${release.version}.oci.tar`)
      if (name === undefined) throw new Error(`${file} is no image`)
      await images.load(name, join(out, file))
      const { root, config, bytes } = await images.open(name)
      const archived = (await stat(join(out, file))).size
      made.push(`${name} ${megabytes(bytes)} MB, ${megabytes(archived)} MB as an archive`)
      expect([name, config.User]).toEqual([name, '10001:10001'])
      expect([name, bytes / 1e6 < megabytesMax[name]]).toEqual([name, true])
      expect(config.Labels['org.opencontainers.image.version']).toBe(release.version)
      const [first = '', ...rest] = [
        ...images.through,
        'cat',
        join(root, 'usr/share/doc/probe-mesh/sbom.cdx.json'),
      ]
      const { stdout: inside } = await run(first, rest)
      expect(inside).toContain('pkg:deb/debian/libc6@')
      expect([name, inside.includes('"vitest"')]).toEqual([name, false])
    }
    await recordFigure(context, `images: ${made.join('; ')}`)
    await makeImages({ ...release, out: join(folder, 'again') }, { names: ['agent'], on: ['linux-x64'] })
    const agents = [out, join(folder, 'again')].map((place) =>
      join(place, `probe-mesh-agent-${release.version}.oci.tar`),
    )
    await run('cmp', agents)

    const ports = await freePorts(8)
    const nextPort = (): number => ports.pop() ?? 0
    servers = await createServers(folder, ['fra'], nextPort)
    for (const part of [servers.postgres, servers.clickhouse, servers.nats]) {
      closers.push(() => part.close())
      await part.start()
    }
    await placeFiles()
    const [controlPort, gatewayPort, agentPort] = [nextPort(), nextPort(), nextPort()]
    const publicUrl = `https://localhost:${controlPort}`
    const tls = {
      HOST: '127.0.0.1',
      PUBLIC_URL: publicUrl,
      TLS_CERT: '/run/tls/server.pem',
      TLS_KEY: '/run/tls/server.key',
      NODE_EXTRA_CA_CERTS: '/run/tls/ca.pem',
      GATEWAY_KEY_FILE: '/run/secrets/gateway-key',
      METRICS_TOKEN_FILE: '/run/secrets/metrics-token',
    }
    const started = [
      await start(
        'control-plane',
        {
          ...tls,
          PORT: String(controlPort),
          REGIONS: 'fra',
          VANTAGE: 'local',
          NATS_URL: `nats://127.0.0.1:${servers.natsPort}`,
          NATS_CREDENTIALS: '/run/secrets/control-plane.creds',
          DATABASE_URL_FILE: '/run/secrets/database-url',
          CLICKHOUSE_URL_FILE: '/run/secrets/clickhouse-url',
          SECRETS_KEY_FILE: '/run/secrets/secrets-key',
          RDAP_BOOTSTRAP: 'none',
          CATALOG_FILE: '/run/secrets/catalog.yaml',
        },
        answers(controlPort, true),
      ),
      await start(
        'mcp-gateway',
        { ...tls, MCP_PORT: String(gatewayPort), MCP_URL: `https://localhost:${gatewayPort}` },
        answers(gatewayPort, true),
      ),
      await start(
        'agent',
        {
          REGION: 'fra',
          AGENT: 'fra-1',
          PORT: String(agentPort),
          NATS_URL: `nats://127.0.0.1:${servers.natsPort}`,
          AGENT_CREDENTIALS: '/run/secrets/agent.creds',
        },
        answers(agentPort, false),
      ),
    ]
    for (const { part, inside, healthcheck } of started) {
      await inside(...healthcheck)
      expect(await inside('node', '-p', 'process.getuid() + ":" + process.getgid()')).toBe('10001:10001\n')
      for (const path of ['/app/new', '/etc/new', '/run/secrets/new']) {
        await expect(inside(...writes(path))).rejects.toThrow(/EROFS|EACCES/)
      }
      expect(part.isAlive).toBe(true)
    }
    const [controlPlane, , agent] = started
    await agent?.inside(...writes('/var/lib/probe-mesh/new'))
    // the second is that of older images
    for (const command of [['probe-mesh-admin'], ['node', '/app/infra/operate/admin/main.ts']]) {
      await controlPlane?.inside(...command, 'account', 'list')
    }
    for (const { part } of started.toReversed())
      expect([part.name, await part.stop()]).toEqual([part.name, 0])
  },
)

/** Opens a page of a server in the same image, as an agent opens those of checks. */
const openPage = `
const { chromium } = require('/app/node_modules/playwright-core')
const server = require('http').createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<h1>it works</h1>'))
server.listen(0, '127.0.0.1', async () => {
  // a chroot has no user namespaces for the sandbox
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, chromiumSandbox: false })
  const page = await browser.newPage()
  await page.goto('http://127.0.0.1:' + server.address().port)
  console.log(browser.version(), await page.textContent('h1'), (await page.screenshot()).length > 1000)
  await browser.close()
  server.close()
})`

test.skipIf(reason !== null)(
  'has a browser that the user of its image can open pages with',
  async (context) => {
    const { root, config } = await images.open('agent-browser')
    const [program = '', ...args] = [...images.through, 'unshare', '--mount', 'sh', init, root, 'tmpfs:/tmp']
    const chromium = config.Env.find((pair) => pair.startsWith('CHROMIUM='))?.slice('CHROMIUM='.length)
    const env = { PATH: process.env['PATH'], HOME: '/tmp', CHROMIUM: chromium }
    const { stdout } = await run(program, [...args, '--', '/usr/bin/node', '-e', openPage], {
      env,
      timeout: 120_000,
    })
    expect(stdout).toMatch(/^\d+\S* it works true\n$/)
    await recordFigure(context, `a page in Chromium ${stdout.trim()}`)
  },
  180_000,
)
