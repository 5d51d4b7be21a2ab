import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import { optional, text as textKind } from '@probe-mesh/runtime/setting'
import type { ServerTls } from './configuration.ts'

/** Read as text: most of them are judged together with others. */
const text = (absent: string, meaning: string) => optional(textKind, absent, meaning)

const commands = defineCommandLine({
  call: 'npm run nats-config --',
  about:
    'Writes the configuration of a NATS server for the mesh, or with --leaf of the leaf node of a region, and credentials for its clients.',
  commands: {
    '': {
      summary: '',
      judge: (given) => {
        const read = argumentsFrom(given)
        return read.kind === 'wrong' ? read.problems : []
      },
      options: {
        regions: text('required', 'the regions that have agents, each three lower-case letters'),
        out: text(
          'required',
          'folder for nats-server.conf, control-plane.creds and the folder keys; with --leaf for the folder leaf-<region>',
        ),
        listen: text('127.0.0.1:4222', 'address of the server, HOST:PORT'),
        store: text('DIR/store', 'folder for its streams'),
        'tls-cert': text(
          'no TLS',
          "the server's certificate, in PEM; required, with its key, beyond the loopback",
        ),
        'tls-key': text('no TLS', 'the private key of the certificate'),
        'tls-ca': text(
          "the system's",
          'authority of the certificates that servers of the mesh show each other',
        ),
        cluster: text(
          'one server',
          'addresses of the servers of a cluster, HOST:PORT, comma-separated: three or five; all use these files, each with its own --name',
        ),
        'cluster-listen': text(
          '0.0.0.0 and the port of the first',
          'address where each server of the cluster listens for the others',
        ),
        'leaf-listen': text('nowhere', 'address for the leaf nodes of regions'),
        unencrypted: flag('listen beyond the loopback without TLS, if another layer encrypts'),
        leaf: text('no leaf node', "region of a leaf node, the region's own server"),
        hub: text('none', 'leaf node: addresses of the mesh for leaf nodes'),
        credentials: text('the written leaf.creds', 'leaf node: path of its credentials'),
      },
    },
  },
  notes: `Existing secrets are kept. To add or remove a region, run it again with other regions and then
"npm run -s admin -- agent tell": running servers need no restart. Agents are enrolled one by one:
"npm run -s admin -- agent enroll --region fra --keys DIR". Leaf nodes also use
--listen, --store and --tls-...`,
})

export type NatsArguments = {
  regions: Region[]
  outDir: string
  listen: string
  storeDir: string
  tls: ServerTls | null
  cluster: { listen: string; servers: string[] } | null
  leafListen: string | null
}

export type LeafArguments = Pick<NatsArguments, 'outDir' | 'listen' | 'storeDir' | 'tls'> & {
  region: Region
  hub: string[]
  /** The authority of the hub's certificates (null: that of the system); `off`: no TLS. */
  hubAuthority: string | null | 'off'
  /** null: the written file. */
  credentials: string | null
}

export type ParsedArguments = { kind: 'help'; text: string } | Judged

type Judged =
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'run'; arguments: NatsArguments }
  | { kind: 'leaf'; arguments: LeafArguments }

const listenDefault = '127.0.0.1:4222'
const portMax = 65_535
const common = ['out', 'listen', 'store', 'tls-cert', 'tls-key', 'tls-ca']
const ofServers = [...common, 'regions', 'cluster', 'cluster-listen', 'leaf-listen']
const ofLeaves = [...common, 'leaf', 'hub', 'credentials']
const clusterSizes = new Set([3, 5])

/** Parses the command line and lists all problems. */
export const parseNatsArguments = (args: readonly string[]): ParsedArguments => {
  const parsed = parseArgv(commands, args)
  return parsed.kind === 'run' ? argumentsFrom(parsed.given) : parsed
}

const argumentsFrom = (options: Readonly<Record<string, unknown>>): Judged => {
  const problems: string[] = []
  const isUnencrypted = options['unencrypted'] === true
  const given = new Map(
    Object.entries(options).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
  const outDir = given.get('out')
  if (outDir === undefined) problems.push('--out is missing: the folder for the files')
  const listen = listenIn('listen', given.get('listen') || listenDefault, problems)
  const tls = tlsIn(given, problems)
  const isLeaf = given.has('leaf')
  for (const name of given.keys()) {
    if (!(isLeaf ? ofLeaves : ofServers).includes(name)) {
      problems.push(`--${name} is ${isLeaf ? 'not for a leaf node' : 'for a leaf node: --leaf is missing'}`)
    }
  }
  const cluster = clusterIn(given, tls, problems)
  const leafListen = given.get('leaf-listen') || null
  if (leafListen !== null) listenIn('leaf-listen', leafListen, problems)
  if (tls === null && !isUnencrypted) checkLoopback([listen, cluster?.listen, leafListen], problems)
  const at = { listen, tls, outDir: resolve(outDir ?? '') }
  return isLeaf
    ? leafIn(given, at, isUnencrypted, problems)
    : serverIn(given, { ...at, cluster, leafListen }, problems)
}

const checkLoopback = (addresses: readonly (string | null | undefined)[], problems: string[]): void => {
  const beyond = addresses.filter(
    (one) => typeof one === 'string' && isListenAddress(one) && !isLoopback(one),
  )
  if (beyond.length > 0) {
    problems.push(
      `--listen ${beyond.join(', ')} is beyond the loopback: set --tls-cert and --tls-key, or --unencrypted if another layer encrypts`,
    )
  }
}

const serverIn = (
  given: Given,
  at: Omit<NatsArguments, 'regions' | 'storeDir'>,
  problems: string[],
): Judged => {
  const regions = regionsIn(given.get('regions'), problems)
  if (problems.length > 0) return { kind: 'wrong', problems }
  const storeDir = resolve(given.get('store') ?? resolve(at.outDir, 'store'))
  return { kind: 'run', arguments: { ...at, regions, storeDir } }
}

const leafIn = (
  given: Given,
  at: Pick<LeafArguments, 'listen' | 'tls' | 'outDir'>,
  isUnencrypted: boolean,
  problems: string[],
): Judged => {
  const region = given.get('leaf') ?? ''
  if (!Region.safeParse(region).success && region !== '') {
    problems.push(`--leaf: "${region}" is not three lower-case letters`)
  }
  const hub = addressesIn('hub', given.get('hub'), problems)
  if (!given.has('hub')) problems.push('--hub is missing: the address of the mesh for leaf nodes')
  if (problems.length > 0) return { kind: 'wrong', problems }
  const storeDir = resolve(given.get('store') ?? resolve(at.outDir, `leaf-${region}`, 'store'))
  const [credentials = null, authority = null] = ['credentials', 'tls-ca'].map((name) => {
    const path = given.get(name)
    return path === undefined ? null : resolve(path)
  })
  const isOpen = isUnencrypted || hub.every(isLoopback)
  const hubAuthority = authority ?? (isOpen ? 'off' : null)
  return { kind: 'leaf', arguments: { ...at, region, hub, hubAuthority, storeDir, credentials } }
}

type Given = ReadonlyMap<string, string>

const listenIn = (name: string, address: string, problems: string[]): string => {
  if (!isListenAddress(address)) problems.push(`--${name} must be HOST:PORT, not ${address}`)
  return address
}

const addressesIn = (name: string, list: string | undefined, problems: string[]): string[] => {
  const addresses = partsOf(list ?? '')
  for (const address of addresses) listenIn(name, address, problems)
  if (new Set(addresses).size < addresses.length) problems.push(`--${name} names a server twice`)
  return addresses
}

const clusterIn = (given: Given, tls: NatsArguments['tls'], problems: string[]): NatsArguments['cluster'] => {
  const servers = addressesIn('cluster', given.get('cluster'), problems)
  const listen = given.get('cluster-listen') || `0.0.0.0:${servers[0]?.split(':').at(-1)}`
  if (!given.has('cluster')) {
    if (given.has('cluster-listen')) problems.push('--cluster is missing: the addresses of the servers')
    return null
  }
  if (given.has('cluster-listen')) listenIn('cluster-listen', listen, problems)
  if (!clusterSizes.has(servers.length)) {
    problems.push(`--cluster takes 3 or 5 servers, not ${servers.length}`)
  }
  // servers admit any certificate of their authority, so it must not be a public one
  if (tls !== null && tls.authority === null) {
    problems.push('--tls-ca is missing: servers of a cluster authenticate each other by it')
  }
  return { listen, servers }
}

const tlsIn = (given: Given, problems: string[]): NatsArguments['tls'] => {
  const [certificate, key, authority] = ['tls-cert', 'tls-key', 'tls-ca'].map((n) => given.get(n))
  if (certificate !== undefined && key !== undefined) {
    const ca = authority === undefined ? null : resolve(authority)
    return { certificate: resolve(certificate), key: resolve(key), authority: ca }
  }
  if (certificate !== undefined) problems.push('--tls-key is missing: the key of the certificate')
  if (key !== undefined) problems.push('--tls-cert is missing: the certificate of the key')
  if (authority !== undefined && certificate === undefined && !given.has('leaf')) {
    problems.push('--tls-ca needs --tls-cert and --tls-key')
  }
  return null
}

export const isLoopback = (listen: string): boolean => /^(127\.|localhost:|\[::1\])/.test(listen)

const regionsIn = (list: string | undefined, problems: string[]): Region[] => {
  if (list === undefined) problems.push('--regions is missing: such as iad,sjc,fra,nrt')
  if (list === undefined || list === '') return []
  const names = list.split(',').map((name) => name.trim())
  for (const name of new Set(names)) {
    if (!Region.safeParse(name).success) {
      problems.push(`--regions: "${name}" is not three lower-case letters`)
    }
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      problems.push(`--regions: "${name}" is listed twice`)
    }
  }
  return names
}

const isListenAddress = (text: string): boolean => {
  const parts = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[a-zA-Z0-9.-]+)):(?<port>\d{1,5})$/.exec(text)
  const { v6, port } = parts?.groups ?? {}
  if (parts === null || Number(port) < 1 || Number(port) > portMax) return false
  return v6 === undefined || isIP(v6) === 6
}
