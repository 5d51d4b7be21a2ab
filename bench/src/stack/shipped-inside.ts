// `npm start` in a network namespace. Prints one JSON text: what each start after the first took.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { createCommandPart } from '@probe-mesh/infra/testing/processes/command-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { memoryOfTree, usageOf } from '../harness/process-tree.ts'
import type { ShippedQuestion, ShippedStart } from './shipped.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

// the question of `shipped.ts`
const { folder, network, starts, restMs } = JSON.parse(process.argv[2] ?? '') as ShippedQuestion
const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })
ip('link', 'set', 'lo', 'up')
mkdirSync(folder, { recursive: true })
const caFile = join(folder, 'ca.pem')
writeFileSync(caFile, '')
/** How many requests the internet has answered. */
let answered = async (): Promise<number> => 0

/** An internet in a namespace beside this one. Addresses of this machine would be refused as targets. */
const startInternet = async (): Promise<void> => {
  const script = fileURLToPath(new URL('shipped-internet.ts', import.meta.url))
  const args = ['--net', process.execPath, script, caFile]
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => String((await lines.next()).value)
  const pid = await next()
  const there = (...rest: string[]): void =>
    void execFileSync('nsenter', ['--target', pid, '--net', 'ip', ...rest], { stdio: 'inherit' })
  ip('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'in', 'netns', pid)
  there('addr', 'add', '100.64.0.2/24', 'dev', 'in')
  there('link', 'set', 'in', 'up')
  ip('addr', 'add', '100.64.0.1/24', 'dev', 'out')
  ip('link', 'set', 'out', 'up')
  ip('route', 'add', 'default', 'via', '100.64.0.2')
  child.stdin.write('linked\n')
  await next()
  answered = async () => {
    child.stdin.write('answered\n')
    return Number(await next())
  }
}

if (network === 'with') await startInternet()
const [port = 0] = await freePorts(1)
const { start } = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
).scripts
const part = createCommandPart({
  name: 'npm start',
  command: ['/bin/sh', '-c', `cd '${root}' && ${start}`],
  environment: {
    PORT: String(port),
    MCP_PORT: '0',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
    HOME: folder,
    NODE_EXTRA_CA_CERTS: caFile,
  },
  logFile: join(folder, 'log'),
  isReady: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
})

const measure = async (): Promise<ShippedStart> => {
  const beganMs = Date.now()
  const readyMs = await part.start()
  const [pid = 0] = part.processIds()
  await wait(restMs)
  const [before, answeredBefore] = [usageOf({ all: pid })['all'], await answered()]
  await wait(restMs)
  const after = usageOf({ all: pid })['all']
  const cpuSeconds = (after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0)
  const memoryMib = memoryOfTree(pid)
  const stoppingMs = Date.now()
  await part.stop()
  return {
    readySeconds: (readyMs - beganMs) / 1_000,
    memoryMib,
    idleCpuPercent: (cpuSeconds / (restMs / 1_000)) * 100,
    stopSeconds: (Date.now() - stoppingMs) / 1_000,
    answered: (await answered()) - answeredBefore,
  }
}

const measured: ShippedStart[] = []
try {
  // fills the empty folder
  await part.start()
  await part.stop()
  for (let n = 0; n < starts; n++) measured.push(await measure())
} finally {
  await part.close()
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
process.exit(0)
