import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findDebianProgram } from '../../testing/debian-program.ts'

/** The addresses and files of a test's proxy, in place of those in its example. */
export type ProxyPlace = {
  folder: string
  httpPort: number
  httpsPort: number
  controlPlanes: readonly [number, number]
  gateway: number
  /** The file with certificate and key. */
  certificate: string
}

export const proxyKinds = ['haproxy', 'nginx', 'caddy'] as const
export type ProxyKind = (typeof proxyKinds)[number]

const examples = { haproxy: 'haproxy.cfg', nginx: 'nginx.conf', caddy: 'Caddyfile' }
const exampleOf = (kind: ProxyKind): Promise<string> =>
  readFile(fileURLToPath(new URL(`../proxies/${examples[kind]}`, import.meta.url)), 'utf8')

/** The changes for a test, by kind: addresses and paths only. Each must match. */
const changesOf = (kind: ProxyKind, place: ProxyPlace): [RegExp, string][] => {
  const { httpPort, httpsPort, certificate, controlPlanes, gateway } = place
  const parts: [RegExp, string][] = [
    ...controlPlanes.map((port, at): [RegExp, string] => [
      new RegExp(`10\\.0\\.0\\.1${at + 1}:8080`, 'g'),
      `127.0.0.1:${port}`,
    ]),
    [/10\.0\.0\.11:8081/g, `127.0.0.1:${gateway}`],
    // the other control plane is dead
    [/10\.0\.0\.12:8081/g, '127.0.0.1:9'],
    [/\/etc\/ssl\/probe-mesh\/proxy\.pem/g, certificate],
  ]
  if (kind === 'haproxy') {
    return [
      ...parts,
      [/bind :80$/m, `bind 127.0.0.1:${httpPort}`],
      [/bind :443 /, `bind 127.0.0.1:${httpsPort} `],
    ]
  }
  if (kind === 'nginx') {
    return [
      ...parts,
      [/listen 80;/g, `listen 127.0.0.1:${httpPort};`],
      [/listen 443 ssl/g, `listen 127.0.0.1:${httpsPort} ssl`],
      [/server_name status\.example\.com/g, 'server_name localhost'],
    ]
  }
  const own = `{\n\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tdefault_bind 127.0.0.1\n\tskip_install_trust\n}\n`
  return [...parts, [/^(?=\(probe-mesh\))/m, own], [/^status\.example\.com \{/m, 'localhost {']]
}

/** Returns an example with other addresses and paths only. @throws if a change does not match */
const placedExample = (text: string, kind: ProxyKind, place: ProxyPlace): string =>
  changesOf(kind, place).reduce((placed, [form, replacement]) => {
    if (placed.search(form) < 0) throw new Error(`the example for ${kind} has no ${form.source}`)
    return placed.replace(form, replacement)
  }, text)

/** Writes the configuration of a proxy. @returns the command that runs it in the foreground */
export const placeProxy = async (kind: ProxyKind, place: ProxyPlace): Promise<string[]> => {
  const { folder } = place
  const text = placedExample(await exampleOf(kind), kind, place)
  const file = join(folder, examples[kind])
  await writeFile(file, text)
  if (kind === 'haproxy') return [await findDebianProgram('haproxy'), '-W', '-db', '-f', file]
  if (kind === 'caddy') {
    return [await findDebianProgram('caddy'), 'run', '--adapter', 'caddyfile', '--config', file]
  }
  const program = await findDebianProgram('libnginx-mod-stream', {
    mayFetch: true,
    program: 'nginx',
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ')
  const main = `daemon off; pid ${join(folder, 'pid')}; error_log stderr; ${process.getuid?.() === 0 ? 'user root; ' : ''}
events {} http { access_log off; ${temporary} include ${file}; }\n`
  await writeFile(join(folder, 'main.conf'), main)
  return [program, '-p', folder, '-e', 'stderr', '-c', join(folder, 'main.conf')]
}
