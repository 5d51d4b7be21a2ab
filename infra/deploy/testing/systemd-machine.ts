import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDebianRoot } from './debian-root.ts'
import { serveForwardProxy } from './forward-proxy.ts'
import { listenInside } from './listen-inside.ts'
import { startMachine, type Machine } from './machine.ts'

const run = promisify(execFile)
const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const keptOut = new Set(['node_modules', '.git', '.data', '.cache', 'dist', 'coverage'])
const proxyPort = 3_128
const authorities = '/etc/ssl/certs/ca-certificates.crt'

/** The path of this checkout in the test machine, for the ClickHouse substitute. */
const seen = '/opt/checkout'
const clickhouseUnit = `[Unit]
Description=ClickHouse, as the tests embed it
[Service]
ExecStart=/opt/probe-mesh/node/bin/node ${seen}/infra/deploy/testing/clickhouse-unit.ts
Restart=on-failure
[Install]
WantedBy=multi-user.target
`

/**
 * Starts a new Debian 12 with systemd. It reaches the Debian archive and npm registry of this machine.
 * @param options.see folders of this machine that it can read, by their paths in it
 */
export const startDebianMachine = async (options: {
  host: string
  see: Readonly<Record<string, string>>
  /** Writes more files into it before it starts. */
  prepare?(changes: string): Promise<void>
}): Promise<Machine> => {
  const { host, see, prepare } = options
  const root = await findDebianRoot('debian-12-systemd', ['systemd-sysv', 'dbus'])
  const machine = await startMachine({
    root,
    name: 'mesh-1',
    see,
    prepare: async (changes) => {
      const at = (path: string): string => join(changes, path)
      for (const folder of ['etc/apt/apt.conf.d', 'etc/systemd/system', 'root']) {
        await mkdir(at(folder), { recursive: true })
      }
      const proxy = `http://127.0.0.1:${proxyPort}`
      await writeFile(at('etc/hosts'), `127.0.0.1 localhost mesh-1 ${host}\n`)
      await writeFile(at('etc/apt/apt.conf.d/90proxy'), `Acquire::http::Proxy "${proxy}";\n`)
      const registry = (await run('npm', ['config', 'get', 'registry'])).stdout.trim()
      await writeFile(
        at('root/.npmrc'),
        `registry=${registry}\nproxy=${proxy}\nhttps-proxy=${proxy}\ncafile=/root/authorities.pem\n`,
      )
      await writeFile(at('root/authorities.pem'), await readFile(authorities))
      // no data here has to survive a power loss
      await mkdir(at('etc/dpkg/dpkg.cfg.d'), { recursive: true })
      await writeFile(at('etc/dpkg/dpkg.cfg.d/fast'), 'force-unsafe-io\n')
      await prepare?.(changes)
    },
  })
  try {
    const proxy = serveForwardProxy(await listenInside(machine.pid(), '127.0.0.1', proxyPort))
    return {
      ...machine,
      close: async () => {
        proxy.close()
        await machine.close()
      },
    }
  } catch (error) {
    await machine.close()
    throw error
  }
}

/** Starts a new Debian 12 with the sources in /opt/probe-mesh, where the document starts. */
export const startDocumentedMachine = async (host: string): Promise<Machine> => {
  const machine = await startDebianMachine({
    host,
    see: { [seen]: checkout },
    prepare: async (changes) => {
      await cp(checkout, join(changes, 'opt/probe-mesh'), {
        recursive: true,
        filter: (path) => !keptOut.has(basename(path)),
      })
      await writeFile(join(changes, 'etc/systemd/system/clickhouse-server.service'), clickhouseUnit)
    },
  })
  try {
    // like the omitted block
    await machine.run('systemctl enable clickhouse-server')
    return machine
  } catch (error) {
    await machine.close()
    throw error
  }
}
