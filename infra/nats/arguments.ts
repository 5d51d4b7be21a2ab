import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Region } from '@probe-mesh/contracts/regions'

export const usage = `The configuration of a NATS server for the mesh, and the secrets of who connects to it.

  npm run nats-config -- --regions iad,sjc,fra,nrt --out DIR [flags]

  --regions LIST   the regions that have agents, each three lower-case letters
  --out DIR        where nats-server.conf, control-plane.nk and agent-<region>.nk go
  --listen H:P     where the server listens (127.0.0.1:4222)
  --store DIR      where it keeps its streams (DIR/store)
  --help           this text

A secret that is there is kept: to add a region, run it again with one region more, and restart the
server: a reload does not connect the accounts of a new region. One left out can connect no more.
`

export type NatsArguments = { regions: Region[]; outDir: string; listen: string; storeDir: string }

export type ParsedArguments =
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'run'; arguments: NatsArguments }

const listenDefault = '127.0.0.1:4222'
const portMax = 65_535
const known = ['regions', 'out', 'listen', 'store'] as const

/** Reads the command line; of a wrong one it tells every problem at once. Pure. */
export const parseNatsArguments = (args: readonly string[]): ParsedArguments => {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      regions: { type: 'string' },
      out: { type: 'string' },
      listen: { type: 'string' },
      store: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const problems: string[] = []
  const given = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unknown argument: ${token.value}`)
    if (token.kind !== 'option') continue
    if (token.name === 'help' || token.name === 'h') return { kind: 'help' }
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
  if (problems.length > 0 || outDir === undefined) return { kind: 'wrong', problems }
  const storeDir = resolve(given.get('store') ?? resolve(outDir, 'store'))
  return { kind: 'run', arguments: { regions, outDir: resolve(outDir), listen, storeDir } }
}

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
