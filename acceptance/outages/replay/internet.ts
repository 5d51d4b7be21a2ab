// The internet of one region, in its own network namespace: name servers (knot) behind fronts that fail on
// demand, and web servers. Reads states of the network, one per line, from its input, and ends with it.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { NetworkState } from '../condition-at.ts'
import {
  internetNetwork,
  knotConfig,
  type InternetPlan,
  type PlannedTarget,
  type PlannedZone,
} from './internet-plan.ts'
import { startNameFront, type FrontRule } from './name-fronts.ts'

const [knot = '', folder = '', planFile = ''] = process.argv.slice(2)
const servfail = 2
const noError = 0
/** How long a server keeps an unanswered request. */
const keptMsMax = 60_000
/** Interval at which a partly unreachable address changes at random. */
const drawMs = 1_500
const marks: Readonly<Record<string, Record<string, string>>> = {
  cloudflare: { server: 'cloudflare', 'cf-ray': '8c0ffee0-AMS' },
  fastly: { 'x-served-by': 'cache-fra-1', via: '1.1 varnish' },
}

let states: Readonly<Record<string, NetworkState>> = {}
const stateOf = (slug: string): NetworkState | undefined => states[slug]

const plan = JSON.parse(await readFile(planFile, 'utf8')) as InternetPlan
const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })

const startKnot = async (
  name: string,
  listen: string,
  files: Readonly<Record<string, string>>,
): Promise<void> => {
  const own = join(folder, name)
  await mkdir(own, { recursive: true })
  for (const [zone, text] of Object.entries(files)) await writeFile(join(own, `${zone}zone`), text)
  await writeFile(join(own, 'knot.conf'), knotConfig(own, listen, files))
  const log = openSync(join(own, 'log'), 'a')
  const child = spawn(knot, ['-c', join(own, 'knot.conf')], { stdio: ['ignore', log, log] })
  process.once('exit', () => child.kill('SIGKILL'))
  child.once('exit', (code) => process.exit(code ?? 1))
}

/** A zone fails as a whole if all its services fail; else only the names of failing services. */
const ruleOf = ({ hosts }: PlannedZone, name: string): FrontRule => {
  const own = hosts.find(({ host }) => host === name)
  const failures = new Set((own === undefined ? hosts : [own]).map(({ slug }) => stateOf(slug)?.names?.fails))
  const failure = failures.size === 1 ? [...failures][0] : undefined
  if (failure === 'names_silent') return 'silent'
  if (failure === 'names_servfail') return { rcode: servfail }
  if (failure === 'names_no_address' && own !== undefined) return { rcode: noError }
  return { passTo: { address: '127.0.0.1', port: internetNetwork.zonesPort } }
}

const serve = ({ slug, cdn }: PlannedTarget, request: IncomingMessage, response: ServerResponse): void => {
  const failure = stateOf(slug)?.answer ?? null
  const headers = { 'content-type': 'text/html', ...(cdn === null ? {} : marks[cdn]) }
  if (failure === null || Math.random() >= failure.share) {
    response.writeHead(200, headers).end('<p>All is well here.</p>')
  } else if (failure.fails === 'http') {
    response.writeHead(failure.status ?? 503, headers).end('<h1>out of order</h1>')
  } else setTimeout(() => request.destroy(), keptMsMax).unref()
}

const run = promisify(execFile)
/** Creates a target whose address follows the state of the network. */
const createTarget = async (target: PlannedTarget): Promise<() => Promise<void>> => {
  const { slug, address } = target
  const create = (): Server => {
    const server = createServer((request, response) => serve(target, request, response))
    server.keepAliveTimeout = 1_000
    return server.listen(internetNetwork.targetPort, address)
  }
  let server: Server | null = create()
  await once(server, 'listening')
  let isRemoved = false
  const turn = async (remove: boolean): Promise<void> => {
    if (remove === isRemoved) return
    isRemoved = remove
    await run('ip', ['addr', remove ? 'del' : 'add', `${address}/32`, 'dev', 'lo'])
  }
  return async () => {
    const failure = stateOf(slug)?.connection ?? null
    const fails = failure !== null && Math.random() < failure.share
    await turn(fails && failure.fails !== 'refused')
    if (fails && failure.fails === 'refused' && server !== null) {
      server.close()
      server.closeAllConnections()
      server = null
    } else if (!fails && server === null) server = create()
  }
}

await once(process.stdin, 'data')
for (const { address } of [...plan.targets, ...plan.zones]) {
  ip('addr', 'add', `${address}/32`, 'dev', 'lo')
}
await startKnot('parents', `${internetNetwork.parents}@53`, plan.parentFiles)
await startKnot('zones', `127.0.0.1@${internetNetwork.zonesPort}`, plan.zoneFiles)
for (const zone of plan.zones) await startNameFront(zone.address, (name) => ruleOf(zone, name))
const targets = await Promise.all(plan.targets.map(createTarget))
/** Applies one change after another, because a program removes and adds addresses. */
let changing = Promise.resolve()
const change = (): void => {
  changing = changing.then(async () => void (await Promise.all(targets.map((turn) => turn()))))
}
setInterval(change, drawMs)
process.stdout.write('listening\n')
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  states = JSON.parse(line) as typeof states
  change()
})
lines.on('close', () => process.exit(0))
