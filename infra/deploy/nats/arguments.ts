import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import type { ServerTls } from './configuration.ts'

export const usage = `The configuration of a NATS server for the mesh, and the secrets by which others are let in.

  npm run nats-config -- --regions iad,sjc,fra,nrt --out DIR [flags]
  npm run nats-config -- --leaf fra --hub H:P,... --out DIR [flags]

  --regions LIST   the regions that have agents, each three lower-case letters
  --out DIR        where nats-server.conf, control-plane.creds and the folder keys go
  --listen H:P     where the server listens (127.0.0.1:4222)
  --store DIR      where it keeps its streams (DIR/store)
  --tls-cert FILE  the server's certificate, in PEM; needed, with its key, beyond the loopback
  --tls-key FILE
  --tls-ca FILE    whose certificates the servers prove themselves to each other by (the system's)
  --cluster H:P,...  where the servers of a cluster meet: three or five, all with these files, each
                   started with a --name of its own
  --cluster-listen H:P  where each of them listens for the others (0.0.0.0 and the first one's port)
  --leaf-listen H:P     where the leaf nodes of regions connect (nowhere)
  --unencrypted    listens beyond the loopback without TLS: where another layer encrypts
  --help           this text

A secret that is there is kept. To add a region, or to take one out, run it again with other regions and
then "npm run -s admin -- agent tell": servers that run need no restart. Agents are let in one by one:
"npm run -s admin -- agent enroll --region fra --keys DIR".

A leaf node is a region's own server: its agents connect to it, and it to the mesh. With --leaf all that it
needs is written to DIR/leaf-<region>; beside --listen, --store and --tls-... it knows:

  --hub H:P,...        where the servers of the mesh listen for leaf nodes
  --credentials FILE   where it finds leaf.creds, if not where that is written
`

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
  /** By whose certificates the hub proves itself (null: whom the system trusts); `off`: it does not. */
  hubAuthority: string | null | 'off'
  /** null: where they are written. */
  credentials: string | null
}

export type ParsedArguments =
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'run'; arguments: NatsArguments }
  | { kind: 'leaf'; arguments: LeafArguments }

const listenDefault = '127.0.0.1:4222'
const portMax = 65_535
const common = ['out', 'listen', 'store', 'tls-cert', 'tls-key', 'tls-ca']
const ofServers = [...common, 'regions', 'cluster', 'cluster-listen', 'leaf-listen']
const ofLeaves = [...common, 'leaf', 'hub', 'credentials']
const known = new Set([...ofServers, ...ofLeaves])
const clusterSizes = new Set([3, 5])

/** Reads the command line; of a wrong one it tells every problem at once. Pure. */
export const parseNatsArguments = (args: readonly string[]): ParsedArguments => {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries([...known].map((name) => [name, { type: 'string' as const }])),
      unencrypted: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const problems: string[] = []
  const given = new Map<string, string>()
  let isUnencrypted = false
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unknown argument: ${token.value}`)
    if (token.kind !== 'option') continue
    if (token.name === 'help' || token.name === 'h') return { kind: 'help' }
    if (token.name === 'unencrypted' && token.value === undefined) {
      isUnencrypted = true
      continue
    }
    if (!known.has(token.name)) problems.push(`unknown: ${token.rawName}`)
    else if (given.has(token.name)) problems.push(`${token.rawName} is given twice`)
    else if (!token.value?.trim()) problems.push(`${token.rawName} needs a value`)
    // Also when empty, which has been said: it is not missing as well.
    given.set(token.name, token.value?.trim() ?? '')
  }
  const outDir = given.get('out')
  if (outDir === undefined) problems.push('--out is missing: the folder to write to')
  const listen = listenIn('listen', given.get('listen') || listenDefault, problems)
  const tls = tlsIn(given, problems)
  const isLeaf = given.has('leaf')
  for (const name of given.keys()) {
    if (known.has(name) && !(isLeaf ? ofLeaves : ofServers).includes(name)) {
      problems.push(
        `--${name} is ${isLeaf ? 'not of a leaf node' : 'of a leaf node: --leaf is missing'}`,
      )
    }
  }
  const ofCluster = clusterIn(given, tls, problems)
  const leafListen = given.get('leaf-listen') || null
  if (leafListen !== null) listenIn('leaf-listen', leafListen, problems)
  const listening = [listen, ofCluster?.listen ?? listenDefault, leafListen ?? listenDefault]
  const beyond = listening.filter((address) => isListenAddress(address) && !isLoopback(address))
  if (tls === null && !isUnencrypted && beyond.length > 0) {
    problems.push(
      `--listen ${beyond.join(', ')} is beyond the loopback: give --tls-cert and --tls-key, or --unencrypted where another layer encrypts`,
    )
  }
  const where = given.get('store')
  const at = { listen, tls, outDir: resolve(outDir ?? '') }
  if (!isLeaf) {
    const regions = regionsIn(given.get('regions'), problems)
    if (problems.length > 0) return { kind: 'wrong', problems }
    const storeDir = resolve(where ?? resolve(at.outDir, 'store'))
    const run = { ...at, regions, storeDir, cluster: ofCluster, leafListen }
    return { kind: 'run', arguments: run }
  }
  const region = given.get('leaf') ?? ''
  if (!Region.safeParse(region).success && region !== '') {
    problems.push(`--leaf: "${region}" is not three lower-case letters`)
  }
  const hub = addressesIn('hub', given.get('hub'), problems)
  if (!given.has('hub')) problems.push('--hub is missing: where the mesh listens for leaf nodes')
  if (problems.length > 0) return { kind: 'wrong', problems }
  const storeDir = resolve(where ?? resolve(at.outDir, `leaf-${region}`, 'store'))
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

const clusterIn = (
  given: Given,
  tls: NatsArguments['tls'],
  problems: string[],
): NatsArguments['cluster'] => {
  const servers = addressesIn('cluster', given.get('cluster'), problems)
  const listen = given.get('cluster-listen') || `0.0.0.0:${servers[0]?.split(':').at(-1)}`
  if (!given.has('cluster')) {
    if (given.has('cluster-listen')) problems.push('--cluster is missing: where the servers meet')
    return null
  }
  if (given.has('cluster-listen')) listenIn('cluster-listen', listen, problems)
  if (!clusterSizes.has(servers.length)) {
    problems.push(`--cluster takes 3 or 5 servers, not ${servers.length}`)
  }
  // they let in whoever has a certificate of theirs: one that anybody can buy must not do
  if (tls !== null && tls.authority === null) {
    problems.push('--tls-ca is missing: by it the servers of a cluster know each other')
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
    problems.push('--tls-ca is of no use without --tls-cert and --tls-key')
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
      problems.push(`--regions: "${name}" is there twice`)
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
