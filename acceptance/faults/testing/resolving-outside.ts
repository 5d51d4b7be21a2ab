// Name servers (knot) and targets of a small internet, in their own network namespace. The addresses appear
// with the link to the agents' namespace, so this waits for it.
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { brokenZones, canaryHost, hostOf, resolvingNetwork, workingZones } from './resolving.ts'

const { target, targetPort, parents, zones, silent } = resolvingNetwork
const [knot = '', folder = ''] = process.argv.slice(2)

const soa = (zone: string): string => `${zone} 30 SOA ns.${zone} admin.${zone} 1 60 60 600 5`
const serverOf = (zone: string): string => `ns.${zone}.`

const rootZone = `. 30 SOA ns. admin. 1 60 60 600 5
. 30 NS ns.
ns. 30 A ${parents}
net. 30 NS ns.
`
const canaryZone = canaryHost.split('.').slice(1).join('.')
const delegation = (zone: string, address: string): string =>
  `${zone}. 30 NS ${serverOf(zone)}\n${serverOf(zone)} 30 A ${address}\n`
const netZone = [
  `net. 30 SOA ns. admin.net. 1 60 60 600 5\nnet. 30 NS ns.\n`,
  ...[canaryZone, ...workingZones].map((zone) => delegation(zone, zones)),
  ...brokenZones.map(({ zone, servedBy }) => delegation(zone, resolvingNetwork[servedBy])),
].join('')
const leafZone = (zone: string, host: string): string =>
  `${soa(`${zone}.`)}
${zone}. 30 NS ${serverOf(zone)}
${serverOf(zone)} 30 A ${zones}
${host}. 5 A ${target}
`

const startKnot = async (
  name: string,
  address: string,
  served: Readonly<Record<string, string | null>>,
): Promise<void> => {
  const own = join(folder, name)
  await mkdir(own, { recursive: true })
  for (const [zone, text] of Object.entries(served)) {
    if (text !== null) await writeFile(join(own, `${zone}zone`), text)
  }
  const list = Object.keys(served).map((zone) => `  - domain: "${zone}"\n    file: "${zone}zone"\n`)
  const config = `server:
  rundir: "${own}"
  pidfile: "${own}/pid"
  listen: ["${address}@53"]
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: "${own}/db"
log:
  - target: stderr
    any: error
template:
  - id: default
    storage: "${own}"
zone:
${list.join('')}`
  await writeFile(join(own, 'knot.conf'), config)
  const child = spawn(knot, ['-c', join(own, 'knot.conf')], { stdio: ['ignore', 2, 2] })
  process.once('exit', () => child.kill('SIGKILL'))
  child.once('exit', (code) => process.exit(code ?? 1))
}

await once(process.stdin, 'data')
await startKnot('parents', parents, { '.': rootZone, 'net.': netZone })
await startKnot('zones', zones, {
  [`${canaryZone}.`]: leafZone(canaryZone, canaryHost),
  ...Object.fromEntries(
    [...workingZones, ...brokenZones.filter(({ as }) => as === 'unsigned').map(({ zone }) => zone)].map(
      (zone) => [`${zone}.`, leafZone(zone, hostOf(zone))],
    ),
  ),
  ...Object.fromEntries(
    brokenZones.filter(({ as }) => as === 'unloaded').map(({ zone }) => [`${zone}.`, null]),
  ),
})
const mute = createSocket('udp4')
mute.bind(53, silent)
await once(mute, 'listening')
const server = createServer((_, response) => response.end('here'))
server.listen(targetPort, target)
await once(server, 'listening')
process.stdout.write('listening\n')
// Ends with its parent process.
process.stdin.resume().on('end', () => process.exit(0))
