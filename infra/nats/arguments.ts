import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Region } from '@probe-mesh/contracts/regions'

export const usage = `The configuration of a NATS server for the mesh, and the secrets by which others are let in.

  npm run nats-config -- --regions iad,sjc,fra,nrt --out DIR [flags]

  --regions LIST   the regions that have agents, each three lower-case letters
  --out DIR        where nats-server.conf, control-plane.creds and the folder keys go
  --listen H:P     where the server listens (127.0.0.1:4222)
  --store DIR      where it keeps its streams (DIR/store)
  --tls-cert FILE  the server's certificate, in PEM; needed, with its key, beyond the loopback
  --tls-key FILE
  --unencrypted    listens beyond the loopback without TLS: where another layer encrypts
  --help           this text

A secret that is there is kept. To add a region, or to take one out, run it again with other regions and
then "npm run -s admin -- agent tell": servers that run need no restart. Agents are let in one by one:
"npm run -s admin -- agent enroll --region fra --keys DIR".
`

export type NatsArguments = {
  regions: Region[]
  outDir: string
  listen: string
  storeDir: string
  tls: { certificate: string; key: string } | null
}

export type ParsedArguments =
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'run'; arguments: NatsArguments }

const listenDefault = '127.0.0.1:4222'
const portMax = 65_535
const known = ['regions', 'out', 'listen', 'store', 'tls-cert', 'tls-key'] as const

/** Reads the command line; of a wrong one it tells every problem at once. Pure. */
export const parseNatsArguments = (args: readonly string[]): ParsedArguments => {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      regions: { type: 'string' },
      out: { type: 'string' },
      listen: { type: 'string' },
      store: { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
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
    if (!known.some((name) => name === token.name)) problems.push(`unknown: ${token.rawName}`)
    else if (given.has(token.name)) problems.push(`${token.rawName} is given twice`)
    else if (!token.value?.trim()) problems.push(`${token.rawName} needs a value`)
    // Also when empty, which has been said: it is not missing as well.
    given.set(token.name, token.value?.trim() ?? '')
  }
  const regions = regionsIn(given.get('regions'), problems)
  const outDir = given.get('out')
  if (outDir === undefined) problems.push('--out is missing: the folder to write to')
  const listen = given.get('listen') || listenDefault
  if (!isListenAddress(listen)) problems.push(`--listen must be HOST:PORT, not ${listen}`)
  const tls = tlsIn(given.get('tls-cert'), given.get('tls-key'), problems)
  if (tls === null && !isUnencrypted && isListenAddress(listen) && !isLoopback(listen)) {
    problems.push(
      `--listen ${listen} is beyond the loopback: give --tls-cert and --tls-key, or --unencrypted where another layer encrypts`,
    )
  }
  if (problems.length > 0 || outDir === undefined) return { kind: 'wrong', problems }
  const storeDir = resolve(given.get('store') ?? resolve(outDir, 'store'))
  return { kind: 'run', arguments: { regions, outDir: resolve(outDir), listen, storeDir, tls } }
}

const tlsIn = (
  certificate: string | undefined,
  key: string | undefined,
  problems: string[],
): NatsArguments['tls'] => {
  if (certificate !== undefined && key !== undefined) {
    return { certificate: resolve(certificate), key: resolve(key) }
  }
  if (certificate !== undefined) problems.push('--tls-key is missing: the key of the certificate')
  if (key !== undefined) problems.push('--tls-cert is missing: the certificate of the key')
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
